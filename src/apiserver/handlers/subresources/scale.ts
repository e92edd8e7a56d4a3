/** `scale`: one small form of everything that has replicas, for autoscalers and `kubectl scale`. */
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import type { Scale } from '../../../core/api/types/autoscaling-v1.ts';
import { invalid } from '../../../core/kube/field-errors.ts';
import { compileLabelSelector } from '../../../core/kube/label-selector.ts';
import type { LabelSelector } from '../../../core/kube/meta-v1.ts';
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import { forbiddenRequest, invalidObject } from '../../../core/kube/status-error.ts';
import { applyCustomScale, readCustomScale } from '../../custom/custom-scale.ts';

interface Scalable extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: LabelSelector | { readonly [key: string]: string };
  };
  readonly status?: { readonly replicas?: number };
}

/**
 * Throws where the kind says that this object cannot be scaled. `unsetIsZero`: replicas that a custom resource does not name yet
 * may be set, though they cannot be read.
 */
export function readScale(kind: KindDefinition, object: Stored, unsetIsZero = false): Stored {
  if (kind.custom !== undefined) return readCustomScale(kind, object, unsetIsZero);
  const scalable: Stored<Scalable> = object;
  const rules = kind.strategy.scale;
  const refusal = rules?.refusal(object);
  if (refusal !== undefined) throw forbiddenRequest(kind, object.metadata.name, refusal);
  const { creationTimestamp, name, namespace, resourceVersion, uid } = object.metadata;
  const selector = rules === undefined ? selectorText(kind, scalable.spec?.selector) : rules.selector(object);
  const scale: Stored<Scale> = {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: scalable.spec?.replicas ? { replicas: scalable.spec.replicas } : {},
    status: { replicas: scalable.status?.replicas ?? 0, ...(selector === '' ? {} : { selector }) },
  };
  return scale;
}

function selectorText(kind: KindDefinition, selector: LabelSelector | { readonly [key: string]: string } | undefined) {
  if (selector === undefined) return '';
  // A ReplicationController's selector is the plain map of former times.
  const modern =
    kind.kind === 'ReplicationController' ? { matchLabels: selector as { [key: string]: string } } : selector;
  return compileLabelSelector(modern).toString();
}

/** The object with the replicas a Scale asks for, which has been read. */
export function applyScale(kind: KindDefinition, object: Stored, wanted: KubeObject): Stored {
  const scale = wanted as Scale;
  if (kind.custom !== undefined) return applyCustomScale(kind, object, scale);
  const replicas = scale.spec?.replicas ?? 0;
  if (replicas < 0) {
    const error = invalid('spec.replicas', replicas, 'must be greater than or equal to 0');
    throw invalidObject({ group: 'autoscaling', kind: 'Scale' }, object.metadata.name, [error]);
  }
  const scalable: Stored<Scalable> = object;
  const { resourceVersion, uid } = scale.metadata ?? {};
  const version = resourceVersion ? { resourceVersion } : {};
  const identity = uid ? { uid } : {};
  const changed: Stored<Scalable> = {
    ...scalable,
    metadata: { ...object.metadata, ...version, ...identity },
    spec: { ...scalable.spec, replicas },
  };
  return changed;
}
