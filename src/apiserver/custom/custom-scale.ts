/** `scale` of custom resources: replicas stand where their definition says. */
import { nested } from '../../core/api/custom/scale-paths.ts';
import { isBag } from '../../core/api/custom/schema/shape.ts';
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import type { Scale } from '../../core/api/types/autoscaling-v1.ts';
import { setOwn } from '../../core/kube/immutable.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { badRequest, internalError } from '../../core/kube/status-error.ts';

const pathOf = (steps: readonly string[]): string => steps.map((step) => `.${step}`).join('');

export function readCustomScale(kind: KindDefinition, object: Stored, unsetIsZero: boolean): Stored {
  const paths = kind.custom?.scale;
  if (paths === undefined) throw internalError(`${kind.resource} have no scale`);
  const spec = nested(object, paths.specReplicas);
  if (!spec.found && !(unsetIsZero && !('error' in spec))) {
    throw internalError(
      'error' in spec
        ? spec.error
        : `the spec replicas field ${JSON.stringify(pathOf(paths.specReplicas))} does not exist`,
    );
  }
  const status = nested(object, paths.statusReplicas);
  const selector = paths.labelSelector === undefined ? undefined : nested(object, paths.labelSelector);
  const { creationTimestamp, name, namespace, resourceVersion, uid } = object.metadata;
  const text = selector?.found === true && typeof selector.value === 'string' ? selector.value : '';
  const scale: Stored<Scale> = {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: spec.found && numberOf(spec.value) !== 0 ? { replicas: numberOf(spec.value) } : {},
    status: { replicas: status.found ? numberOf(status.value) : 0, ...(text === '' ? {} : { selector: text }) },
  };
  return scale;
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? Math.trunc(value) : 0);

/** The object with the replicas a Scale asks for, at the version it names. */
export function applyCustomScale(kind: KindDefinition, object: Stored, scale: Scale): Stored {
  const steps = kind.custom?.scale?.specReplicas ?? [];
  const { resourceVersion, uid } = scale.metadata ?? {};
  const changed = withNested(object, steps, scale.spec?.replicas ?? 0) as Stored;
  return {
    ...changed,
    metadata: {
      ...object.metadata,
      ...(resourceVersion ? { resourceVersion } : {}),
      ...(uid ? { uid } : {}),
    },
  };
}

function withNested(value: unknown, steps: readonly string[], leaf: number): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return leaf;
  if (value !== undefined && !isBag(value)) throw badRequest(`value cannot be set because ${step} is not an object`);
  const copy: { [key: string]: unknown } = { ...value };
  setOwn(
    copy,
    step,
    withNested(value !== undefined && Object.hasOwn(value, step) ? value[step] : undefined, rest, leaf),
  );
  return copy;
}
