/** How the pods of a DaemonSet are made: one maker for the template, one more for each group of nodes with other resources. */
import { RESOURCES_ANNOTATION } from '../../core/api/names.ts';
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import { createPodMaker, type PodMaker } from '../../core/daemons/daemon-pod.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { DaemonPodMaker } from './known-daemon.ts';
import { type Override, overrideFor, withResources } from './resource-overrides.ts';

export function createPodMakers(set: Stored<DaemonSet>, hash: string, overrides: readonly Override[]): DaemonPodMaker {
  const plain = createPodMaker(set, hash);
  if (overrides.length === 0) return plain;
  const makers = new Map<Override, PodMaker>();
  return (identity, predecessor, node) => {
    const override = overrideFor(overrides, node);
    if (override === undefined) return plain(identity, predecessor, node);
    let maker = makers.get(override);
    if (maker === undefined) {
      const spec = withResources(set.spec.template.spec ?? { containers: [] }, override);
      maker = createPodMaker(set, hash, { spec, annotations: { [RESOURCES_ANNOTATION]: override.key } });
      makers.set(override, maker);
    }
    return maker(identity, predecessor, node);
  };
}
