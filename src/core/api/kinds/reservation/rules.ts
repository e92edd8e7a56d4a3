/**
 * Rules of a kind that hold on every cluster, and the strategy that the embedded API server makes from them. Metadata is left
 * to API servers; on others the admission plugin (control/reservation/admission) asks the same rules behind a webhook.
 */
import type { FieldError } from '../../../kube/field-errors.ts';
import { deepEqual } from '../../../kube/immutable.ts';
import type { KubeObject } from '../../../kube/objects.ts';
import { nameIsDnsSubdomain } from '../../../kube/names.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import { createGenericStrategy } from '../../kind/generic-strategy.ts';
import { addAll, type Findings } from '../../rules/findings.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../rules/metadata.ts';

export interface ReservationRules<T extends KubeObject> {
  /** Findings about a new object. */
  create(object: T): readonly FieldError[];
  /**
   * Findings about a change. Rules may become stricter with a release, and stored objects stay stored: parts that the change
   * left alone are not judged again.
   */
  update(object: T, old: T): readonly FieldError[];
  warnings(object: T): readonly string[];
}

interface Specified extends KubeObject {
  readonly spec: object;
}

/** Warnings about a spec that is new or changed. */
export const warningsOf = <T extends Specified>(rules: ReservationRules<T>, object: T, old?: T): readonly string[] =>
  old !== undefined && deepEqual(object.spec, old.spec) ? [] : rules.warnings(object);

interface Made<T extends KubeObject> {
  readonly namespaced: boolean;
  readonly rules: ReservationRules<T>;
  readonly status: (found: Findings, object: T) => void;
  /** Status of a new object; absent: none. */
  readonly newStatus?: object;
  readonly defaults?: (object: T) => T;
}

export function reservationStrategy<T extends Specified>(made: Made<T>): KindStrategy<T> {
  const { namespaced, rules, status, newStatus, defaults } = made;
  const meta = { namespaced, name: nameIsDnsSubdomain };
  return {
    ...createGenericStrategy<T>({
      namespaced,
      hasStatus: true,
      ...(newStatus === undefined ? {} : { emptyStatus: () => newStatus }),
    }),
    ...(defaults === undefined ? {} : { defaults }),
    validate(object) {
      const found = validateObjectMeta(object.metadata, meta, 'metadata');
      addAll(found, rules.create(object));
      return found;
    },
    validateUpdate(object, old, subresource) {
      const found = validateObjectMetaUpdate(object.metadata, old.metadata, 'metadata');
      if (subresource === 'status') status(found, object);
      else addAll(found, rules.update(object, old));
      return found;
    },
    warnings: (object, old) => warningsOf(rules, object, old),
  };
}
