import { type FieldError, field, forbidden, invalid, notSupported } from '../../kube/field-errors.ts';
import { nameIsDnsSubdomain, qualifiedNameProblems } from '../../kube/names.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { createGenericStrategy } from '../kind/generic-strategy.ts';
import type { Lease, LeaseSpec } from '../types/coordination-v1.ts';
import { append } from '../rules/append.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../rules/metadata.ts';
import { withoutFields } from '../rules/objects.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain, anyFinalizer: true };
const STRATEGIES = ['OldestEmulationVersion'];

function validateStrategy(strategy: string): readonly FieldError[] {
  const path = field.child('spec.strategy', 'strategy');
  if (!strategy.includes('/')) return STRATEGIES.includes(strategy) ? [] : [notSupported(path, strategy, STRATEGIES)];
  return qualifiedNameProblems(strategy).map((text) => invalid(path, strategy, text));
}

function validateSpec(spec: LeaseSpec | undefined): readonly FieldError[] {
  if (!spec) return [];
  const errors: FieldError[] = [];
  const { leaseDurationSeconds: duration, leaseTransitions: transitions, strategy, preferredHolder } = spec;
  if (duration !== undefined && duration <= 0) {
    errors.push(invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
  }
  if (transitions !== undefined && transitions < 0) {
    errors.push(invalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'));
  }
  if (strategy !== undefined) append(errors, validateStrategy(strategy));
  if (preferredHolder && !strategy) {
    errors.push(forbidden('spec.preferredHolder', 'may only be specified if `strategy` is defined'));
  }
  return errors;
}

/** Coordinated leader election is off, so its fields are kept only where they already are. */
function withoutCoordination(lease: Lease, old: LeaseSpec | undefined): Lease {
  const { spec } = lease;
  if (!spec || (spec.strategy === undefined && spec.preferredHolder === undefined)) return lease;
  let kept = spec;
  if (old?.strategy === undefined) kept = withoutFields(kept, 'strategy');
  if (old?.preferredHolder === undefined) kept = withoutFields(kept, 'preferredHolder');
  return kept === spec ? lease : { ...lease, spec: kept };
}

export const leaseStrategy: KindStrategy<Lease> = {
  ...createGenericStrategy<Lease>({ namespaced: true, hasStatus: false, hasGeneration: false }),
  prepareForCreate: (lease) => withoutCoordination(lease, undefined),
  prepareForUpdate: (lease, old) => withoutCoordination(lease, old.spec),
  validate(lease) {
    const errors = validateObjectMeta(lease.metadata, RULES, 'metadata');
    append(errors, validateSpec(lease.spec));
    return errors;
  },
  validateUpdate(lease, old) {
    const errors = validateObjectMetaUpdate(lease.metadata, old.metadata, 'metadata', RULES);
    append(errors, validateSpec(lease.spec));
    return errors;
  },
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
};
