/**
 * deployment/ — rolls a pod template out by way of ReplicaSets, one for each template there has been.
 *
 * `sizes.ts` says how large each set should be, `deployment-status.ts` what to report, `revisions.ts` and `template-hash.ts`
 * which set is whose; `sync.ts` carries it out. Sets are written under their resourceVersion, so no decision made from an
 * old state takes effect.
 */
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../../../../core/api/registry/resources.ts';
import type { Deployment, ReplicaSet } from '../../../../core/api/types/apps-v1.ts';
import type { ObjectKey } from '../../../../core/kube/objects.ts';
import { controllerOf } from '../../../../core/kube/owner-references.ts';
import type { Actor } from '../../../../machinery/actor.ts';
import { createController } from '../../../../machinery/controller.ts';
import { createFeed, takeTurn } from '../common/feed.ts';
import { indexChildren } from '../common/indexes.ts';
import { createOverlay } from '../common/overlay.ts';
import { createOwners, newOwner } from '../common/owners.ts';
import { isEmptySelector, selectsWith } from '../common/selectors.ts';
import { CONCURRENCY, createTeller, together, withType, type WorkloadOptions } from '../common/surroundings.ts';
import { isRecreate } from './sizes.ts';
import { createSync, type DeploymentOwner } from './sync.ts';

export function createDeploymentController(options: WorkloadOptions): Actor {
  const { client, informers, clock, random } = options;
  const deployments = informers.for(DEPLOYMENTS);
  const sets = informers.for(REPLICA_SETS);
  const pods = informers.for(PODS);
  const { recorder, tell } = createTeller(options, 'deployment-controller');
  const owners = createOwners<Deployment, DeploymentOwner>((key, object) => ({
    ...newOwner(key, object),
    sets: createOverlay<ReplicaSet>(sets),
  }));
  const sync = createSync({ client, clock, tell, sets: indexChildren(sets), pods: indexChildren(pods) });

  const controller = createController<ObjectKey>({
    name: 'deployment',
    clock,
    random,
    ...(options.logger === undefined ? {} : { logger: options.logger }),
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
    concurrency: options.concurrency ?? CONCURRENCY,
    async reconcile(key, signal) {
      const object = deployments.lister.get(key.name, key.namespace);
      if (object === undefined) return owners.forget(key);
      if (isEmptySelector(object.spec.selector)) {
        const note = 'This deployment is selecting all pods. A non-empty selector is required.';
        tell(withType(DEPLOYMENTS, object), 'Warning', 'SelectingAll', note);
        return undefined;
      }
      const owner = owners.of(key, object);
      return takeTurn(
        owner,
        clock,
        () => 0,
        () => sync(owner, signal),
      );
    },
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
    if (!isOver || pod !== object) return [];
    const owner = controllerOf(pod);
    if (owner?.kind !== 'ReplicaSet') return [];
    const { namespace = '' } = pod.metadata;
    const set = sets.lister.get(owner.name, namespace);
    const name = set === undefined ? undefined : controllerOf(set)?.name;
    const deployment = name === undefined ? undefined : deployments.lister.get(name, namespace);
    if (deployment !== undefined && isRecreate(deployment)) feed.soon({ namespace, name: deployment.metadata.name });
    return [];
  });
  return together('deployment-controller', controller, recorder);
}
