/** The house-keepers of nodes, pods, budgets, quotas and policies, each of which can be left out where Kubernetes' own does its work. */
import { createDisruptionController } from '../../control/housekeeping/disruption/disruption-controller.ts';
import type { KeeperOptions } from '../../control/housekeeping/keeper.ts';
import { createNodeLifecycle } from '../../control/housekeeping/nodes/node-lifecycle.ts';
import { createTaintEviction } from '../../control/housekeeping/nodes/taint-eviction.ts';
import { createPodGc } from '../../control/housekeeping/pods/pod-gc.ts';
import { createPolicyStatus } from '../../control/housekeeping/policy-status.ts';
import { createQuotaController } from '../../control/housekeeping/quota/quota-controller.ts';
import type { Registry } from '../../core/api/registry/registry.ts';
import type { Actor } from '../../machinery/actor.ts';

/** By the names kube-controller-manager has for them. */
const KEEPERS = {
  'node-lifecycle-controller': (around: KeeperOptions): Actor => createNodeLifecycle(around),
  'taint-eviction-controller': (around: KeeperOptions): Actor => createTaintEviction(around),
  'pod-garbage-collector-controller': (around: KeeperOptions): Actor => createPodGc(around),
  'disruption-controller': (around: KeeperOptions, registry: Registry): Actor =>
    createDisruptionController({ ...around, resources: () => registry.all() }),
  'resourcequota-controller': (around: KeeperOptions, registry: Registry): Actor =>
    createQuotaController({ ...around, resources: () => registry.all() }),
  'validatingadmissionpolicy-status-controller': (around: KeeperOptions, registry: Registry): Actor =>
    createPolicyStatus({ ...around, registry }),
};

export type HouseKeeper = keyof typeof KEEPERS;

/** All of them, unless told otherwise. */
export function houseKeepers(
  around: KeeperOptions,
  registry: Registry,
  isOn: (name: HouseKeeper) => boolean = () => true,
): readonly Actor[] {
  const names = Object.keys(KEEPERS) as HouseKeeper[];
  return names.filter(isOn).map((name) => KEEPERS[name](around, registry));
}
