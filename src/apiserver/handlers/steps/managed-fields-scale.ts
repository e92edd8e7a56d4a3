/** Owners of replicas when they are set through `scale`. */
import { applyConfiguration } from '../../../core/api/apply/apply.ts';
import { conflictError } from '../../../core/api/apply/conflict-error.ts';
import { managedOf, type ManagedEntry, type ManagedFields } from '../../../core/api/apply/managed.ts';
import {
  ownersAfterScaling,
  ownersFromScale,
  ownersInScale,
  replicasPath,
  SCALE_VERSION,
} from '../../../core/api/apply/scale-owners.ts';
import { shapeOf } from '../../../core/api/apply/shape.ts';
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import type { Json } from '../../../core/kube/json.ts';
import { type KubeObject, type Stored, apiVersionOf } from '../../../core/kube/objects.ts';
import type { HandlerContext } from './context.ts';
import { managerOf, type OwnedWrite } from './managed-fields.ts';

const pathOf = (kind: KindDefinition) => replicasPath(kind.custom?.scale?.specReplicas ?? ['spec', 'replicas']);

/** The owners of the object after its scale was written; `before` and `after` are the scale. */
export function ownersAfterScale(
  kind: KindDefinition,
  write: OwnedWrite,
  live: Stored,
  before: KubeObject,
  after: KubeObject,
): ManagedFields | undefined {
  const owners = managedOf(live);
  if (owners === undefined || replicasOf(before) === replicasOf(after)) return owners;
  return ownersAfterScaling(owners, pathOf(kind), managerOf(write), apiVersionOf(kind), replicasOf(after));
}

const replicasOf = (scale: KubeObject): number =>
  (scale as { readonly spec?: { readonly replicas?: number } }).spec?.replicas ?? 0;

/** A configuration applied to the scale of an object. */
export function applyScaleConfiguration(
  context: HandlerContext,
  kind: KindDefinition,
  write: OwnedWrite & { readonly force: boolean },
  live: Stored,
  scale: KubeObject,
  configuration: KubeObject,
): { readonly scale: KubeObject; readonly managed: ManagedFields } {
  const owners = managedOf(live) ?? [];
  const path = pathOf(kind);
  const shape = shapeOf('autoscaling/v1.Scale');
  const applied = applyConfiguration(
    ownersInScale(owners, path),
    {
      shape,
      apiVersion: SCALE_VERSION,
      manager: managerOf(write),
      subresource: 'scale',
      now: context.timestamps.now(),
      reset: undefined,
      convert: (value) => ({ shape, value }),
      force: write.force,
      blank: { apiVersion: SCALE_VERSION, kind: 'Scale', metadata: {}, spec: {}, status: { replicas: 0 } },
    },
    scale as unknown as Json,
    configuration as unknown as Json,
  );
  if (applied.type === 'conflicts') {
    // Owners are named as the object knows them.
    const named = (owner: ManagedEntry): ManagedEntry => ({ ...owner, apiVersion: apiVersionOf(kind) });
    throw conflictError(applied.conflicts.map(({ owner, path: at }) => ({ owner: named(owner), path: at })));
  }
  return {
    scale: applied.value as unknown as KubeObject,
    managed: ownersFromScale(owners, applied.managed, path, apiVersionOf(kind)),
  };
}
