/** From a rendered manifest to the objects that are applied: here, and only here, secrets become plain. */
import { revealed, type Rendered } from '../../../core/component/render/render.ts';
import type { RenderedComponent } from './rendered.ts';

/** `uid` is that of the custom resource, where there is one. Throws `ComponentError` while a secret is not looked up. */
export function componentToApply({ identity, objects }: Rendered, uid?: string): RenderedComponent {
  const { name, namespace } = identity;
  return { identity: { name, namespace, ...(uid === undefined ? {} : { uid }) }, objects: revealed(objects) };
}
