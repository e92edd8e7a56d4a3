/**
 * The history of a DaemonSet: one ControllerRevision for each template it has had. The one that equals the present template
 * is the current revision; going back to an old template makes the old revision current again, so pods that still
 * have it are not restarted.
 */
import { CANARY_PASSED_ANNOTATION } from '../../core/api/names.ts';
import { DAEMON_SETS, PODS } from '../../core/api/registry/resources.ts';
import { podTemplateHash } from '../../core/api/schema/template-hash.ts';
import type { ControllerRevision, DaemonSet } from '../../core/api/types/apps-v1.ts';
import { REVISION_LABEL } from '../../core/daemons/pod-child.ts';
import { labelOf, withAnnotations, withLabels } from '../../core/kube/labels.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { newer } from '../../core/kube/resource-version.ts';
import { keyOf } from '../../machinery/cache/object-keys.ts';
import type { ChildIndex } from '../../machinery/children/child-index.ts';
import type { Claims } from '../../machinery/children/claims.ts';
import { isSnapshotOf } from '../../machinery/children/revision-data.ts';
import {
  claimRevisions,
  createRevisionWriter,
  DEFAULT_HISTORY_LIMIT,
  nextRevision,
  type Revision,
} from '../../machinery/children/revisions.ts';
import { withType } from '../../machinery/children/with-type.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { DaemonRegistry } from './daemon-registry.ts';
import type { History, KnownDaemon } from './known-daemon.ts';

export interface HistoryOptions {
  readonly client: Client;
  readonly registry: DaemonRegistry;
  readonly revisions: ChildIndex<ControllerRevision>;
}

export const hashOf = ({ metadata }: ControllerRevision): string => labelOf(metadata.labels, REVISION_LABEL) ?? '';

const writerFor = ({ client }: HistoryOptions, { revisions }: KnownDaemon) =>
  createRevisionWriter(client, revisions.overlay);

/** The history with the current revision in it, created if need be. Costs nothing while nothing has changed. */
export async function constructHistory(options: HistoryOptions, daemon: KnownDaemon, claims: Claims): Promise<History> {
  const { template } = daemon.object.spec;
  const known = daemon.revisions.history;
  if (known?.template === template && known.collisionCount === daemon.object.status?.collisionCount) return known;
  const same: Revision[] = [];
  const old: Revision[] = [];
  for (const revision of await listRevisions(options, daemon, claims))
    (isSnapshotOf(revision, template) ? same : old).push(revision);
  const next = nextRevision(old);
  const found = same.length === 0 ? await snapshot(options, daemon, next) : await mergeEqual(options, daemon, same);
  const current = found.revision < next ? await writerFor(options, daemon).update({ ...found, revision: next }) : found;
  const collisionCount = daemon.object.status?.collisionCount;
  const history = { template, collisionCount, current, hash: hashOf(current), old };
  daemon.revisions.history = history;
  return history;
}

/** The DaemonSet's revisions in order, each with the label by which pods name it. */
async function listRevisions(
  options: HistoryOptions,
  daemon: KnownDaemon,
  claims: Claims,
): Promise<readonly Revision[]> {
  const own = await claimRevisions({
    claims,
    index: options.revisions,
    overlay: daemon.revisions.overlay,
    selects: daemon.selects,
    adopt: true,
  });
  const labelled: Revision[] = [];
  for (const revision of own) {
    const isLabelled = labelOf(revision.metadata.labels, REVISION_LABEL) !== undefined;
    const label = { [REVISION_LABEL]: revision.metadata.name };
    labelled.push(isLabelled ? revision : await writerFor(options, daemon).update(withLabels(revision, label)));
  }
  return labelled;
}

/** Creates the revision of the present template. */
async function snapshot(options: HistoryOptions, daemon: KnownDaemon, revision: number): Promise<Revision> {
  const owner = withType(DAEMON_SETS, daemon.object) as Stored<DaemonSet>;
  const { template } = owner.spec;
  const hash = podTemplateHash(template, owner.status?.collisionCount);
  const name = `${owner.metadata.name}-${hash}`;
  const labels = { [REVISION_LABEL]: hash };
  const outcome = await writerFor(options, daemon).create({ owner, template, name, labels, revision });
  if ('revision' in outcome) return outcome.revision;
  await countCollision(options.client, daemon);
  throw outcome.error;
}

/** Two templates with one hash: the next attempt takes another. The count is read fresh, so it grows by one only. */
async function countCollision(client: Client, daemon: KnownDaemon): Promise<void> {
  const fresh = await client.get(DAEMON_SETS, daemon.key);
  const count = fresh.status?.collisionCount;
  const known = daemon.object.status?.collisionCount;
  if (count !== known) {
    daemon.object = newer(fresh, daemon.object);
    throw new Error(
      `found a stale collision count (${known ?? 0}, expected ${count ?? 0}) of DaemonSet "${daemon.key.name}" while processing; will retry until it is updated`,
    );
  }
  const status = { ...EMPTY_STATUS, ...fresh.status, collisionCount: (count ?? 0) + 1 };
  daemon.object = await client.update(DAEMON_SETS, { ...fresh, status }, { subresource: 'status' });
}

const EMPTY_STATUS = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };

/** Several revisions of one content: the highest stays, and every pod is labelled with it before the others are deleted. */
async function mergeEqual(options: HistoryOptions, daemon: KnownDaemon, same: readonly Revision[]): Promise<Revision> {
  const kept = same.reduce((a, b) => (b.revision >= a.revision ? b : a));
  if (same.length === 1) return kept;
  const hash = hashOf(kept);
  for (const pod of [...options.registry.view(daemon).allChildren()]) {
    if (labelOf(pod.metadata.labels, REVISION_LABEL) === hash) continue;
    const body = { metadata: { labels: { [REVISION_LABEL]: hash } } };
    daemon.children.wrote(await options.client.patch(PODS, keyOf(pod), { type: 'merge', body }));
  }
  await writerFor(options, daemon).remove(same.filter((revision) => revision !== kept));
  return kept;
}

/** Writes down that the current revision's canary has passed, so that no restart forgets it. */
export async function markCanaryPassed(options: HistoryOptions, daemon: KnownDaemon): Promise<void> {
  const { history } = daemon.revisions;
  if (history === undefined) return;
  const marked = withAnnotations(history.current, { [CANARY_PASSED_ANNOTATION]: 'true' });
  const current = await writerFor(options, daemon).update(marked);
  daemon.revisions.history = { ...history, current };
}

/** Deletes the oldest revisions beyond the limit that no pod has. */
export async function trimHistory(options: HistoryOptions, daemon: KnownDaemon): Promise<void> {
  const { history } = daemon.revisions;
  if (history === undefined) return;
  const surplus = history.old.length - (daemon.object.spec.revisionHistoryLimit ?? DEFAULT_HISTORY_LIMIT);
  if (surplus <= 0) return;
  const view = options.registry.view(daemon);
  const isUsed = (revision: Revision): boolean => {
    const hash = hashOf(revision);
    return view.ofRevision(hash) > 0 || hash === history.hash;
  };
  const old = await writerFor(options, daemon).trim(history.old, surplus, isUsed);
  daemon.revisions.history = { ...history, old };
}
