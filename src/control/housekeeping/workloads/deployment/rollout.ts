/** One reconcile of one Deployment as a record, and the writes to the Deployment itself. */
import { DEPLOYMENTS } from '../../../../core/api/registry/resources.ts';
import type { Deployment, DeploymentStatus, ReplicaSet } from '../../../../core/api/types/apps-v1.ts';
import type { Pod } from '../../../../core/api/types/core-v1.ts';
import { labelOf, withAnnotations } from '../../../../core/kube/labels.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import type { ChildIndex } from '../../../../machinery/children/child-index.ts';
import type { Overlay } from '../../../../machinery/children/overlay.ts';
import type { Owner } from '../../../../machinery/children/owners.ts';
import { withType } from '../../../../machinery/children/with-type.ts';
import type { Client } from '../../../../machinery/client/client.ts';
import type { Clock } from '../../../../machinery/time/clock.ts';
import type { Tell } from '../common/tell.ts';
import { PROGRESSING, withCondition } from './deployment-status.ts';
import { REVISION } from './names.ts';

export type Set = Stored<ReplicaSet>;

export interface DeploymentOwner extends Owner<Deployment> {
  readonly sets: Overlay<ReplicaSet>;
}

export interface SyncOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly tell: Tell;
  readonly sets: ChildIndex<ReplicaSet>;
  readonly pods: ChildIndex<Pod>;
}

/** One reconcile of one Deployment. */
export interface Rollout extends SyncOptions {
  readonly owner: DeploymentOwner;
  /** The ReplicaSet of the present template, as last written; undefined until there is one. Never in `old`. */
  newSet: Set | undefined;
  /** The other ReplicaSets, as last written. */
  old: readonly Set[];
}

export const setsOf = ({ newSet, old }: Rollout): readonly Set[] => (newSet === undefined ? old : [...old, newSet]);

/** The Deployment with kind and apiVersion. */
export const named = ({ owner }: Rollout): Stored<Deployment> =>
  withType(DEPLOYMENTS, owner.object) as Stored<Deployment>;

async function write({ client, owner }: Rollout, change: Partial<Deployment>): Promise<void> {
  owner.object = await client.update(DEPLOYMENTS, { ...owner.object, ...change }, { subresource: 'status' });
}

export const writeStatus = (rollout: Rollout, status: DeploymentStatus): Promise<void> => write(rollout, { status });

/** The Deployment's status with another Progressing condition. */
export function progressing(
  { owner, clock }: Rollout,
  status: string,
  reason: string,
  message: string,
): DeploymentStatus {
  const condition = { type: PROGRESSING, status, reason, message };
  const conditions = withCondition(owner.object.status?.conditions, condition, clock.now());
  return { ...owner.object.status, ...(conditions === undefined ? {} : { conditions }) };
}

/** Annotates the Deployment with the revision of this ReplicaSet, and writes the status with it if there is one. */
export async function noteRevision(rollout: Rollout, set: Set, status: DeploymentStatus | undefined): Promise<void> {
  const { object } = rollout.owner;
  const revision = labelOf(set.metadata.annotations, REVISION) ?? '';
  const isNoted = labelOf(object.metadata.annotations, REVISION) === revision;
  if (isNoted && status === undefined) return;
  const { metadata } = withAnnotations(object, { [REVISION]: revision });
  await write(rollout, { metadata, ...(status === undefined ? {} : { status }) });
}
