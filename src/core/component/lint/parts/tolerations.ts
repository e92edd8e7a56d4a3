/** Tolerations of a component with the paths at which the manifest has them. */
import type { Component } from '../../../api/component/types.ts';
import type { PathStep } from '../../trace.ts';

type Toleration = NonNullable<Component['spec']['tolerations']>[number];

export function tolerationsOf({
  spec,
}: Component): readonly { readonly toleration: Toleration; readonly path: readonly PathStep[] }[] {
  const list = spec.tolerations ?? spec.pod?.scheduling?.tolerations ?? [];
  const at = spec.tolerations === undefined ? ['spec', 'pod', 'scheduling', 'tolerations'] : ['spec', 'tolerations'];
  return list.map((toleration, index) => ({ toleration, path: [...at, index] }));
}
