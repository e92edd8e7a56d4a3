/**
 * No acknowledged write is lost; revisions never go back; a watcher sees every change once, in order, or is told 410.
 */
import { compareResourceVersions } from '../../../core/kube/resource-version.ts';
import { objectName, resourceName, type Commit } from '../commit.ts';
import type { InvariantFactory } from './invariant.ts';

export const storeOrder: InvariantFactory = () => {
  /** Every change by resource, oldest first. */
  const history = new Map<string, Commit[]>();
  const byRevision = new Map<string, Commit>();
  let last = 0;

  return {
    name: 'store-order',
    committed(commit) {
      const { revision } = commit;
      const resource = resourceName(commit.key);
      const known = history.get(resource);
      if (known === undefined) history.set(resource, [commit]);
      else known.push(commit);
      byRevision.set(String(revision), commit);
      const problem = revision > last ? undefined : `revision ${revision} came after ${last}`;
      last = revision;
      return problem;
    },
    acknowledged(resource, { metadata }) {
      const commit = byRevision.get(metadata.resourceVersion);
      const what = `${resourceName(resource)} ${metadata.name}`;
      if (commit === undefined) return `${what}: answered with revision ${metadata.resourceVersion}, never written`;
      if (commit.object.metadata.uid === metadata.uid) return undefined;
      return `${what}: answered with revision ${metadata.resourceVersion}, which wrote ${objectName(commit.key)}`;
    },
    watched(resource, options) {
      const name = resourceName(resource);
      const isSelective = (options.labelSelector ?? '') !== '' || (options.fieldSelector ?? '') !== '';
      let position = options.resourceVersion === undefined ? undefined : Number(options.resourceVersion);
      let at = 0;
      return (batch) => {
        for (const event of batch) {
          if (event.type === 'BOOKMARK') {
            const version = Number(event.resourceVersion);
            if (event.initialEventsEnd) position = version;
            else if (position !== undefined && version < position) return `${name}: a bookmark went back to ${version}`;
            continue;
          }
          // The initial state comes in no order, and a watch from "any" version may begin anywhere.
          if (position === undefined) continue;
          const { resourceVersion } = event.object.metadata;
          if ((compareResourceVersions(resourceVersion, String(position)) ?? 1) <= 0)
            return `${name}: revision ${resourceVersion} was sent after ${position}`;
          if (isSelective) {
            position = Number(resourceVersion);
            continue;
          }
          const commits = history.get(name) ?? [];
          const namespace = options.namespace ?? '';
          for (; at < commits.length; at += 1) {
            const { revision, key } = commits[at] as Commit;
            if (revision > position && (namespace === '' || key.namespace === namespace)) break;
          }
          const expected = commits[at];
          if (expected === undefined || String(expected.revision) !== resourceVersion)
            return `${name}: a watch was sent revision ${resourceVersion} where ${expected?.revision ?? 'nothing'} was due`;
          if (expected.type !== event.type)
            return `${name}: revision ${resourceVersion} was ${expected.type} and was sent as ${event.type}`;
          position = expected.revision;
        }
        return undefined;
      };
    },
    *settled(view, store) {
      for (const [resource, commits] of history) {
        const newest = new Map<string, Commit>();
        for (const commit of commits) newest.set(objectName(commit.key), commit);
        for (const [name, { key, type, revision }] of newest) {
          const held = store.get(key)?.metadata.resourceVersion;
          const expected = type === 'DELETED' ? undefined : String(revision);
          if (held !== expected) yield `${resource} ${name}: last written at ${expected ?? 'nowhere'}, held at ${held}`;
        }
        if (
          view.all(resource).size !==
          newest
            .values()
            .filter(({ type }) => type !== 'DELETED')
            .toArray().length
        )
          yield `${resource}: the view lost count`;
      }
    },
  };
};
