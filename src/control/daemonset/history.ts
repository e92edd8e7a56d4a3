/**
 * The history of a DaemonSet: one ControllerRevision for each template it has had. The one that equals the present template
 * is the current revision; going back to an old template makes the old revision current again, so pods that still
 * have it are not restarted.
 */
import { CANARY_PASSED_ANNOTATION } from '../../core/api/names.ts';
import { CONTROLLER_REVISIONS, DAEMON_SETS, PODS } from '../../core/api/registry/resources.ts';
import { podTemplateHash } from '../../core/api/schema/template-hash.ts';
import type { ControllerRevision } from '../../core/api/types/apps-v1.ts';
import { REVISION_LABEL } from '../../core/daemons/pod-child.ts';
import { labelOf, withAnnotations, withLabels } from '../../core/kube/labels.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { controllerOf, controllerReference, isControlledBy } from '../../core/kube/owner-references.ts';
import { compareResourceVersions, newer } from '../../core/kube/resource-version.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Informer } from '../../machinery/cache/informer.ts';
import { keyOf } from '../../machinery/cache/object-keys.ts';
import type { Claims } from './claims.ts';
import type { DaemonWorld } from './daemon-registry.ts';
import type { History, KnownDaemon } from './known-daemon.ts';
import { isSnapshotOf, patchData } from '../../machinery/children/revision-data.ts';

type Revision = Stored<ControllerRevision>;

export interface Histories {
  /** The history with the current revision in it, made if need be. Costs nothing while nothing has changed. */
  construct(daemon: KnownDaemon, claims: Claims): Promise<History>;
  /** Writes down that the current revision's canary has passed, so that no restart forgets it. */
  markCanaryPassed(daemon: KnownDaemon): Promise<void>;
  /** Deletes the oldest revisions beyond the limit that no pod uses. */
  cleanUp(daemon: KnownDaemon): Promise<void>;
}

const DEFAULT_LIMIT = 10;

export function createHistories(
  client: Client,
  revisions: Informer<ControllerRevision>,
  world: DaemonWorld,
): Histories {
  /** The revisions of the DaemonSet, as the cache and our own later writes show them. */
  async function controlled(daemon: KnownDaemon, claims: Claims): Promise<Revision[]> {
    const { namespace = '' } = daemon.set.metadata;
    const found = new Map<string, Revision>();
    for (const cached of revisions.lister.list(namespace)) {
      const revision = newer(cached, daemon.written.get(cached.metadata.name));
      if (revision === cached) daemon.written.delete(cached.metadata.name);
      found.set(revision.metadata.name, revision);
    }
    for (const [name, revision] of daemon.written) {
      const isSeen = (compareResourceVersions(revisions.resourceVersion, revision.metadata.resourceVersion) ?? -1) >= 0;
      if (isSeen && !found.has(name)) daemon.written.delete(name);
      else found.set(name, revision);
    }
    const own: Revision[] = [];
    for (const revision of found.values()) {
      const claimed = await claim(daemon, claims, revision);
      if (claimed !== undefined) own.push(claimed);
    }
    return own.sort((a, b) => a.revision - b.revision);
  }

  async function claim(daemon: KnownDaemon, claims: Claims, revision: Revision): Promise<Revision | undefined> {
    const matches = daemon.selects(revision.metadata.labels);
    if (isControlledBy(revision, daemon.set)) {
      if (matches) return revision;
      const released = await claims.release(CONTROLLER_REVISIONS, revision);
      if (released !== undefined) daemon.written.set(released.metadata.name, released);
      return undefined;
    }
    if (!matches || controllerOf(revision) !== undefined || revision.metadata.deletionTimestamp !== undefined)
      return undefined;
    const adopted = await claims.adopt(CONTROLLER_REVISIONS, revision);
    if (adopted !== undefined) daemon.written.set(adopted.metadata.name, adopted);
    return adopted;
  }

  async function write(daemon: KnownDaemon, revision: ControllerRevision): Promise<Revision> {
    const updated = await client.update(CONTROLLER_REVISIONS, revision);
    daemon.written.set(updated.metadata.name, updated);
    return updated;
  }

  async function snapshot(daemon: KnownDaemon, revision: number): Promise<Revision> {
    const { set } = daemon;
    const { template } = set.spec;
    const hash = podTemplateHash(template, set.status?.collisionCount);
    const { name: setName, namespace = '', annotations } = set.metadata;
    const name = `${setName}-${hash}`;
    const made: ControllerRevision = {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        name,
        namespace,
        labels: { ...template.metadata?.labels, [REVISION_LABEL]: hash },
        ...(annotations === undefined ? {} : { annotations }),
        ownerReferences: [controllerReference({ ...set, apiVersion: 'apps/v1', kind: 'DaemonSet' })],
      },
      data: patchData(template),
      revision,
    };
    try {
      const created = await client.create(CONTROLLER_REVISIONS, made);
      daemon.written.set(name, created);
      return created;
    } catch (error) {
      if (!isStatus(error, 'AlreadyExists')) throw error;
      const present = await client.get(CONTROLLER_REVISIONS, { namespace, name });
      if (isSnapshotOf(present, template)) return present;
      await countCollision(daemon);
      throw error;
    }
  }

  /** Two templates with one hash: the next attempt takes another. The count is read fresh, so it grows by one only. */
  async function countCollision(daemon: KnownDaemon): Promise<void> {
    const fresh = await client.get(DAEMON_SETS, daemon.key);
    const count = fresh.status?.collisionCount;
    const known = daemon.set.status?.collisionCount;
    if (count !== known) {
      daemon.set = newer(fresh, daemon.set);
      throw new Error(
        `found a stale collision count (${known ?? 0}, expected ${count ?? 0}) of DaemonSet "${daemon.key.name}" while processing; will retry until it is updated`,
      );
    }
    const status = { ...EMPTY_STATUS, ...fresh.status, collisionCount: (count ?? 0) + 1 };
    daemon.set = await client.update(DAEMON_SETS, { ...fresh, status }, { subresource: 'status' });
  }

  /** Several revisions of one content: the highest stays, and every pod is labelled with it before the others go. */
  async function dedup(daemon: KnownDaemon, same: readonly Revision[]): Promise<Revision> {
    const kept = same.reduce((a, b) => (b.revision >= a.revision ? b : a));
    if (same.length === 1) return kept;
    const hash = labelOf(kept.metadata.labels, REVISION_LABEL) ?? '';
    for (const pod of [...world.view(daemon).allChildren()]) {
      if (labelOf(pod.metadata.labels, REVISION_LABEL) === hash) continue;
      const body = { metadata: { labels: { [REVISION_LABEL]: hash } } };
      world.wrote(daemon, await client.patch(PODS, keyOf(pod), { type: 'merge', body }));
    }
    for (const revision of same) if (revision !== kept) await remove(daemon, revision);
    return kept;
  }

  async function remove(daemon: KnownDaemon, revision: Revision): Promise<void> {
    await client.delete(CONTROLLER_REVISIONS, keyOf(revision)).catch((error: unknown) => {
      if (!isStatus(error, 'NotFound')) throw error;
    });
    daemon.written.delete(revision.metadata.name);
  }

  return {
    async construct(daemon, claims) {
      const { template } = daemon.set.spec;
      const known = daemon.history;
      if (known?.template === template && known.collisionCount === daemon.set.status?.collisionCount) return known;
      const same: Revision[] = [];
      const old: Revision[] = [];
      for (const revision of await controlled(daemon, claims)) {
        const isLabelled = labelOf(revision.metadata.labels, REVISION_LABEL) !== undefined;
        const labelled = isLabelled
          ? revision
          : await write(daemon, withLabels(revision, { [REVISION_LABEL]: revision.metadata.name }));
        (isSnapshotOf(labelled, template) ? same : old).push(labelled);
      }
      const next = (old.at(-1)?.revision ?? 0) + 1;
      let current = same.length === 0 ? await snapshot(daemon, next) : await dedup(daemon, same);
      if (current.revision < next) current = await write(daemon, { ...current, revision: next });
      const hash = labelOf(current.metadata.labels, REVISION_LABEL) ?? '';
      daemon.history = { template, collisionCount: daemon.set.status?.collisionCount, current, hash, old };
      return daemon.history;
    },

    async markCanaryPassed(daemon) {
      const { history } = daemon;
      if (history === undefined) return;
      const marked = withAnnotations(history.current, { [CANARY_PASSED_ANNOTATION]: 'true' });
      daemon.history = { ...history, current: await write(daemon, marked) };
    },

    async cleanUp(daemon) {
      const { history } = daemon;
      const limit = daemon.set.spec.revisionHistoryLimit ?? DEFAULT_LIMIT;
      let surplus = (history?.old.length ?? 0) - limit;
      if (history === undefined || surplus <= 0) return;
      const view = world.view(daemon);
      let left = history.old;
      for (const revision of history.old) {
        if (surplus <= 0) break;
        const hash = labelOf(revision.metadata.labels, REVISION_LABEL) ?? '';
        if (view.ofRevision(hash) > 0 || hash === history.hash) continue;
        await remove(daemon, revision);
        left = left.filter((each) => each !== revision);
        surplus -= 1;
      }
      daemon.history = { ...history, old: left };
    },
  };
}

const EMPTY_STATUS = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
