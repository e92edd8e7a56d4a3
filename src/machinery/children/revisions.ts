/**
 * ControllerRevisions: one for each template an owner has had. The revision that equals the present template is current; going
 * back to an old template renumbers its revision instead of making another, so pods that still have it are not replaced.
 */
import { CONTROLLER_REVISIONS } from '../../core/api/registry/resources.ts';
import type { ControllerRevision } from '../../core/api/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../core/api/types/core-v1.ts';
import type { Labels } from '../../core/kube/labels.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { controllerReference } from '../../core/kube/owner-references.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { keyOf } from '../cache/object-keys.ts';
import type { Client } from '../client/client.ts';
import { claimChildren, type ClaimOptions } from './claims.ts';
import type { Overlay } from './overlay.ts';
import { isSnapshotOf, patchData } from './revision-data.ts';
import { unlessGone } from './write-outcomes.ts';

export type Revision = Stored<ControllerRevision>;

/** Upstream's default of `revisionHistoryLimit`. */
export const DEFAULT_HISTORY_LIMIT = 10;

/** Oldest first; in one order whatever the cache's is. */
export const byRevision = (a: Revision, b: Revision): number =>
  a.revision - b.revision ||
  compare(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
  compare(a.metadata.name, b.metadata.name);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The number of a revision that comes after all of these, which are in order. */
export const nextRevision = (revisions: readonly Revision[]): number => (revisions.at(-1)?.revision ?? 0) + 1;

/** The oldest revisions without a user, at most `surplus` of them. @param revisions in order. */
export function oldestUnused(
  revisions: readonly Revision[],
  surplus: number,
  isUsed: (revision: Revision) => boolean,
): readonly Revision[] {
  const unused: Revision[] = [];
  for (const revision of revisions) {
    if (unused.length >= surplus) break;
    if (!isUsed(revision)) unused.push(revision);
  }
  return unused;
}

/** The owner's revisions in order, after releases and adoptions. */
export async function claimRevisions(options: Omit<ClaimOptions<ControllerRevision>, 'resource'>): Promise<Revision[]> {
  const own = await claimChildren({ ...options, resource: CONTROLLER_REVISIONS });
  return own.sort(byRevision);
}

export interface NewRevision {
  /** With kind and apiVersion. */
  readonly owner: Stored;
  readonly template: PodTemplateSpec;
  readonly name: string;
  /** Beside the template's: the label that carries the hash. */
  readonly labels: Labels;
  readonly revision: number;
}

export function newRevision({ owner, template, name, labels, revision }: NewRevision): ControllerRevision {
  const { namespace, annotations } = owner.metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...template.metadata?.labels, ...labels },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(owner)],
    },
    data: patchData(template),
    revision,
  };
}

/** Writes revisions; answers go into the overlay. */
export interface RevisionWriter {
  /**
   * The revision as created, or the one of the same name and content that an earlier attempt made. `collision`: the one of that
   * name holds another template, whose hash is the same by chance; `error` is the server's AlreadyExists.
   */
  create(
    snapshot: NewRevision,
  ): Promise<{ readonly revision: Revision } | { readonly collision: true; readonly error: unknown }>;
  /** Replaces the revision (its number, its labels); conflicts are thrown. */
  update(revision: ControllerRevision): Promise<Revision>;
  /** Deletes these in order; a revision that is gone already is fine. */
  remove(revisions: readonly Revision[]): Promise<void>;
  /** Deletes the oldest revisions without a user, at most `surplus` of them, and returns those left. @param revisions in order. */
  trim(
    revisions: readonly Revision[],
    surplus: number,
    isUsed: (revision: Revision) => boolean,
  ): Promise<readonly Revision[]>;
}

export function createRevisionWriter(client: Client, overlay: Overlay<ControllerRevision>): RevisionWriter {
  async function remove(revisions: readonly Revision[]): Promise<void> {
    for (const revision of revisions) {
      await unlessGone(client.delete(CONTROLLER_REVISIONS, keyOf(revision)));
      overlay.gone(revision);
    }
  }

  return {
    remove,

    async create(snapshot) {
      const made = newRevision(snapshot);
      try {
        const created = await client.create(CONTROLLER_REVISIONS, made);
        overlay.wrote(created);
        return { revision: created };
      } catch (error) {
        if (!isStatus(error, 'AlreadyExists')) throw error;
        const present = await client.get(CONTROLLER_REVISIONS, keyOf(made));
        if (!isSnapshotOf(present, snapshot.template)) return { collision: true, error };
        overlay.wrote(present);
        return { revision: present };
      }
    },

    async update(revision) {
      const updated = await client.update(CONTROLLER_REVISIONS, revision);
      overlay.wrote(updated);
      return updated;
    },

    async trim(revisions, surplus, isUsed) {
      const going = oldestUnused(revisions, surplus, isUsed);
      await remove(going);
      return going.length === 0 ? revisions : revisions.filter((revision) => !going.includes(revision));
    },
  };
}
