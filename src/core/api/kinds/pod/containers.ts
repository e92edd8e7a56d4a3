/** Going over all containers of a pod. */
import type { Container, EphemeralContainer, PodSpec } from '../../types/core-v1.ts';

/** Fields that containers of every kind have. */
export type AnyContainer = Container | EphemeralContainer;

/** Init containers, regular ones, ephemeral ones, in this order; the path is made only when asked for. */
export function visitContainers(
  spec: PodSpec,
  path: string,
  visit: (container: AnyContainer, at: () => string) => void,
): void {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    const containers = spec[list];
    if (containers === undefined) continue;
    for (let index = 0; index < containers.length; index++) {
      visit(containers[index] as AnyContainer, () => `${path === '' ? list : `${path}.${list}`}[${index}]`);
    }
  }
}
