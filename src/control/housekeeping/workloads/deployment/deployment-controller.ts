/**
 * deployment/ — rolls a pod template out by way of ReplicaSets, one for each template there has been.
 *
 * `sizes.ts` says how large each set should be, `deployment-status.ts` what to report, `revisions.ts` which set belongs to
 * which template; `sync.ts` reconciles and `replica-sets.ts` writes the sets, under their resourceVersion: no decision made
 * from an old state takes effect.
 */
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../../../../core/api/registry/resources.ts';
import type { Deployment, ReplicaSet } from '../../../../core/api/types/apps-v1.ts';
import { controllerOf } from '../../../../core/kube/owner-references.ts';
import type { Actor } from '../../../../machinery/actor.ts';
import { NO_KEYS } from '../../../../machinery/controller/controller.ts';
import { createFeed } from '../../../../machinery/children/feed.ts';
import { indexChildren, indexPods } from '../../../../machinery/children/child-index.ts';
import { Overlay } from '../../../../machinery/children/overlay.ts';
import { createOwners, newOwner } from '../../../../machinery/children/owners.ts';
import { isEmptySelector, selectsWith } from '../../../../machinery/children/selectors.ts';
import { createOwnerLoop, createTeller, type WorkloadOptions } from '../common/surroundings.ts';
import { withType } from '../../../../machinery/children/with-type.ts';
import { together } from '../../keeper.ts';
import { isRecreate } from './sizes.ts';
import type { DeploymentOwner } from './rollout.ts';
import { createSync } from './sync.ts';

export function createDeploymentController(options: WorkloadOptions): Actor {
  const { client, informers, clock } = options;
  const deployments = informers.for(DEPLOYMENTS);
  const sets = informers.for(REPLICA_SETS);
  const pods = informers.for(PODS);
  const { actors, tell } = createTeller(options, 'deployment-controller');
  const owners = createOwners<Deployment, DeploymentOwner>((key, object) => ({
    ...newOwner(key, object),
    sets: new Overlay<ReplicaSet>(sets),
  }));
  const sync = createSync({ client, clock, tell, sets: indexChildren(sets), pods: indexPods(pods) });

  function selectsAll(deployment: Deployment): boolean {
    if (!isEmptySelector(deployment.spec.selector)) return false;
    const note = 'This deployment is selecting all pods. A non-empty selector is required.';
    tell(withType(DEPLOYMENTS, deployment), 'Warning', 'SelectingAll', note);
    return true;
  }

  const controller = createOwnerLoop(options, {
    name: 'deployment',
    informer: deployments,
    owners,
    skips: selectsAll,
    sync,
  });
  const selects = ({ spec }: Deployment) => selectsWith(spec.selector);
  const feed = createFeed({
    controller,
    clock,
    resource: DEPLOYMENTS,
    informer: deployments,
    owners,
    selects,
    echo: true,
  });
  feed.follow(sets, true);
  // Recreate waits for the last old pod, which may outlive what its ReplicaSet counts.
  controller.watch(pods, (pod, { type, object }) => {
    const isOver = type === 'delete' || object.status?.phase === 'Succeeded' || object.status?.phase === 'Failed';
    if (!isOver || pod !== object) return NO_KEYS;
    const owner = controllerOf(pod);
    if (owner?.kind !== 'ReplicaSet') return NO_KEYS;
    const { namespace = '' } = pod.metadata;
    const set = sets.lister.get(owner.name, namespace);
    const name = set === undefined ? undefined : controllerOf(set)?.name;
    const deployment = name === undefined ? undefined : deployments.lister.get(name, namespace);
    if (deployment !== undefined && isRecreate(deployment)) feed.soon({ namespace, name: deployment.metadata.name });
    return NO_KEYS;
  });
  return together('deployment-controller', [controller, ...actors]);
}
