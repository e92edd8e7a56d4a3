/** Revisions of a component's DaemonSet, newest last, as `kubectl rollout history` knows them. */
import { CONTROLLER_REVISIONS, DAEMON_SETS } from '../../../core/api/registry/resources.ts';
import type { ControllerRevision, DaemonSet } from '../../../core/api/types/apps-v1.ts';
import { REVISION_LABEL } from '../../../core/daemons/pod-child.ts';
import type { Json } from '../../../core/kube/json.ts';
import { formatLabelSelector } from '../../../core/kube/label-selector.ts';
import { labelOf } from '../../../core/kube/labels.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isControlledBy } from '../../../core/kube/owner-references.ts';
import { createCalls, type Calls } from './calls.ts';
import { ComponentApplyError } from './errors.ts';
import { refOf, refText } from './object-ref.ts';
import type { ApplyContext } from './rendered.ts';
import { createScrubber, valueAt } from './secrets.ts';

export interface Revision {
  readonly revision: number;
  /** When its template was first seen. */
  readonly createdAt: string;
  /** `kubernetes.io/change-cause`, where somebody told. */
  readonly changeCause?: string;
  /** Images of all containers, in order, each once. */
  readonly images: readonly string[];
  /** In the labels of its pods. */
  readonly hash: string;
  readonly isCurrent: boolean;
}

const CHANGE_CAUSE = 'kubernetes.io/change-cause';

export interface HistoryTarget {
  readonly namespace: string;
  /** Of the DaemonSet. */
  readonly name: string;
}

export async function componentHistory(context: ApplyContext, target: HistoryTarget): Promise<readonly Revision[]> {
  const calls = createCalls(context, createScrubber());
  const set = await daemonSetOf(calls, target);
  return revisionsOf(await storedRevisions(calls, set));
}

export async function daemonSetOf(calls: Calls, { namespace, name }: HistoryTarget): Promise<Stored<DaemonSet>> {
  const ref = refOf(DAEMON_SETS, namespace, name);
  const set = await calls.find<DaemonSet>(ref);
  if (set === undefined)
    throw ComponentApplyError.of([
      { code: 'EN_COMPONENT_APPLY_NOT_FOUND', object: ref, message: `there is no ${refText(ref)}` },
    ]);
  return set;
}

/** Oldest first. */
export async function storedRevisions(
  calls: Calls,
  set: Stored<DaemonSet>,
): Promise<readonly Stored<ControllerRevision>[]> {
  const { namespace = '', name } = set.metadata;
  const labelSelector = formatLabelSelector(set.spec.selector);
  const { items } = await calls.request('list', refOf(CONTROLLER_REVISIONS, namespace, name), (signal) =>
    calls.context.client.list(CONTROLLER_REVISIONS, {
      namespace,
      labelSelector,
      ...(signal === undefined ? {} : { signal }),
    }),
  );
  return items.filter((revision) => isControlledBy(revision, set)).toSorted((a, b) => a.revision - b.revision);
}

export function revisionsOf(revisions: readonly Stored<ControllerRevision>[]): readonly Revision[] {
  const current = revisions.at(-1);
  return revisions.map((revision) => {
    const changeCause = labelOf(revision.metadata.annotations, CHANGE_CAUSE);
    return {
      revision: revision.revision,
      createdAt: revision.metadata.creationTimestamp,
      ...(changeCause === undefined ? {} : { changeCause }),
      images: imagesIn(revision.data),
      hash: labelOf(revision.metadata.labels, REVISION_LABEL) ?? '',
      isCurrent: revision === current,
    };
  });
}

const POD_SPEC = ['spec', 'template', 'spec'];

function imagesIn(data: Json | undefined): readonly string[] {
  const images = new Set<string>();
  for (const member of ['initContainers', 'containers']) {
    const containers = valueAt(data, [...POD_SPEC, member]);
    if (!Array.isArray(containers)) continue;
    for (const container of containers as readonly Json[]) {
      const image = valueAt(container, ['image']);
      if (typeof image === 'string') images.add(image);
    }
  }
  return [...images];
}
