/** The history of a StatefulSet: a ControllerRevision for each template it has had. */
import { STATEFUL_SETS } from '../../../../core/api/registry/resources.ts';
import type { ControllerRevision, StatefulSet } from '../../../../core/api/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../../../core/api/types/core-v1.ts';
import { fnv1x32, safeEncode } from '../../../../core/kube/hash.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import type { ChildIndex } from '../../../../machinery/children/child-index.ts';
import { createClaims } from '../../../../machinery/children/claims.ts';
import type { Overlay } from '../../../../machinery/children/overlay.ts';
import type { Owner } from '../../../../machinery/children/owners.ts';
import { isSnapshotOf, patchText } from '../../../../machinery/children/revision-data.ts';
import {
  claimRevisions,
  createRevisionWriter,
  DEFAULT_HISTORY_LIMIT,
  nextRevision,
  type Revision,
} from '../../../../machinery/children/revisions.ts';
import { selectsWith } from '../../../../machinery/children/selectors.ts';
import { withType } from '../../../../machinery/children/with-type.ts';
import type { Client } from '../../../../machinery/client/client.ts';

export interface RevisionOwner extends Owner<StatefulSet> {
  readonly revisions: Overlay<ControllerRevision>;
  /** Two templates had one hash this many times; undefined until the first, for then the status has the count. */
  collisions: number | undefined;
}

export interface Revisions {
  /** Oldest first, without a revision that was created just now. */
  readonly all: readonly Revision[];
  /** The revision that pods are rolled out from. */
  readonly current: Revision;
  /** The revision of the present template. */
  readonly update: Revision;
}

const HASH_LABEL = 'controller.kubernetes.io/hash';
const LONGEST_PREFIX = 223;

const revisionHash = (template: PodTemplateSpec, collisions: number): string =>
  safeEncode(String(fnv1x32(patchText(template) + String(collisions))));

/** The revisions of the StatefulSet with the one of its present template, which is created or renumbered if need be. */
export async function constructRevisions(
  client: Client,
  index: ChildIndex<ControllerRevision>,
  owner: RevisionOwner,
): Promise<Revisions> {
  const all = await claimRevisions({
    claims: createClaims(client, STATEFUL_SETS, owner.object),
    index,
    overlay: owner.revisions,
    selects: selectsWith(owner.object.spec.selector),
    adopt: owner.adopts,
  });
  const { template } = owner.object.spec;
  const same = all.findLast((revision) => isSnapshotOf(revision, template));
  const update = await currentRevision(client, owner, all, same);
  const current = all.find(({ metadata }) => metadata.name === owner.object.status?.currentRevision) ?? update;
  return { all, current, update };
}

function currentRevision(
  client: Client,
  owner: RevisionOwner,
  all: readonly Revision[],
  same: Revision | undefined,
): Promise<Revision> | Revision {
  if (same === undefined) return createRevision(client, owner, nextRevision(all));
  if (same === all.at(-1)) return same;
  // Back to a former template: its revision becomes the newest.
  return createRevisionWriter(client, owner.revisions).update({ ...same, revision: nextRevision(all) });
}

async function createRevision(client: Client, owner: RevisionOwner, revision: number): Promise<Revision> {
  const set = withType(STATEFUL_SETS, owner.object) as Stored<StatefulSet>;
  const { template } = set.spec;
  const writer = createRevisionWriter(client, owner.revisions);
  for (;;) {
    const collisions = owner.collisions ?? set.status?.collisionCount ?? 0;
    const hash = revisionHash(template, collisions);
    const name = `${set.metadata.name.slice(0, LONGEST_PREFIX)}-${hash}`;
    const outcome = await writer.create({ owner: set, template, name, labels: { [HASH_LABEL]: hash }, revision });
    if ('revision' in outcome) return outcome.revision;
    owner.collisions = collisions + 1;
  }
}

/** Deletes the oldest revisions beyond the limit that no pod has. @param used names of the revisions that pods have. */
export async function trimRevisions(
  client: Client,
  owner: RevisionOwner,
  { all, current, update }: Revisions,
  used: ReadonlySet<string>,
): Promise<void> {
  const limit = owner.object.spec.revisionHistoryLimit ?? DEFAULT_HISTORY_LIMIT;
  if (limit < 0) return;
  const isUsed = ({ metadata: { name } }: Revision): boolean =>
    name === current.metadata.name || name === update.metadata.name || used.has(name);
  const surplus = all.filter((revision) => !isUsed(revision)).length - limit;
  await createRevisionWriter(client, owner.revisions).trim(all, surplus, isUsed);
}
