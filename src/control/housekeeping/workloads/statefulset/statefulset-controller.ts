/**
 * statefulset/ — pods with names, an order and claims of their own. `ordinals.ts` says which pod is which, `set-pods.ts` makes
 * pods and claims, `revisions.ts` keeps the templates, `retention.ts` decides the owners of a claim, `set-claims.ts` writes claims,
 * `set-sync.ts` reconciles.
 */
import {
  CONTROLLER_REVISIONS,
  PERSISTENT_VOLUME_CLAIMS,
  PODS,
  STATEFUL_SETS,
} from '../../../../core/api/registry/resources.ts';
import type { ControllerRevision, StatefulSet } from '../../../../core/api/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../../../core/api/types/core-v1.ts';
import type { Actor } from '../../../../machinery/actor.ts';
import { createFeed } from '../../../../machinery/children/feed.ts';
import { indexChildren, indexPods } from '../../../../machinery/children/child-index.ts';
import { Overlay } from '../../../../machinery/children/overlay.ts';
import { createOwners, newPodOwner } from '../../../../machinery/children/owners.ts';
import { createChildWriter } from '../../../../machinery/children/child-writer.ts';
import { podEvents, type PodWords } from '../common/tell.ts';
import { isEmptySelector, selectsWith } from '../../../../machinery/children/selectors.ts';
import { createOwnerLoop, createTeller, type WorkloadOptions } from '../common/surroundings.ts';
import { withType } from '../../../../machinery/children/with-type.ts';
import { together } from '../../keeper.ts';
import type { SetOwner } from './set-run.ts';
import { createSetSync } from './set-sync.ts';

const TITLES = { create: 'Create', delete: 'Delete' } as const;

const words: PodWords<StatefulSet> = {
  done: (verb, pod, set) => `${TITLES[verb]} Pod ${pod} in StatefulSet ${set.metadata.name} successful`,
  failed: (verb, pod, set, error) =>
    `${TITLES[verb]} Pod ${pod} in StatefulSet ${set.metadata.name} failed error: ${error}`,
};

export function createStatefulSetController(options: WorkloadOptions): Actor {
  const { client, informers, clock } = options;
  const sets = informers.for(STATEFUL_SETS);
  const pods = informers.for(PODS);
  const claims = informers.for(PERSISTENT_VOLUME_CLAIMS);
  const revisions = informers.for(CONTROLLER_REVISIONS);
  const { actors, tell } = createTeller(options, 'statefulset-controller');
  const named = (set: StatefulSet): StatefulSet => withType(STATEFUL_SETS, set);
  const owners = createOwners<StatefulSet, SetOwner>((key, set) => ({
    ...newPodOwner(key, set, new Overlay<Pod>(pods)),
    revisions: new Overlay<ControllerRevision>(revisions),
    claims: new Overlay<PersistentVolumeClaim>(claims),
    collisions: undefined,
  }));
  const sync = createSetSync({
    client,
    clock,
    tell,
    writer: createChildWriter({ client, resource: PODS, events: podEvents(tell, named, words) }),
    pods: indexPods(pods),
    claims: claims.lister,
    revisions: indexChildren(revisions),
  });
  const controller = createOwnerLoop(options, {
    name: 'statefulset',
    informer: sets,
    owners,
    skips: ({ spec }) => isEmptySelector(spec.selector),
    sync,
  });
  controller.watch(claims, () => []);
  const selects = ({ spec }: StatefulSet) => selectsWith(spec.selector);
  const feed = createFeed({ controller, clock, resource: STATEFUL_SETS, informer: sets, owners, selects });
  feed.follow(pods, true);
  feed.follow(revisions, true);
  return together('statefulset-controller', [controller, ...actors]);
}
