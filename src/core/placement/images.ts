/** Container images as nodes report them. */
import type { ContainerImage } from '../api/types/core-v1.ts';

/** The name a node reports: without a tag it is `:latest`. */
export const imageName = (image: string): string =>
  image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;

const sizes = new WeakMap<readonly ContainerImage[], ReadonlyMap<string, number>>();

/** Every name once, with the size of the first image that bears it. */
export function imageSizes(images: readonly ContainerImage[]): ReadonlyMap<string, number> {
  let known = sizes.get(images);
  if (known === undefined) {
    const byName = new Map<string, number>();
    for (const image of images) {
      for (const name of image.names ?? []) if (!byName.has(name)) byName.set(name, image.sizeBytes ?? 0);
    }
    sizes.set(images, (known = byName));
  }
  return known;
}
