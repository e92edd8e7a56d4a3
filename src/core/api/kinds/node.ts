/** Nodes. Tens of thousands are created when a simulated fleet starts, so a good one is judged without allocating. */
import {
  duplicate,
  type FieldError,
  field,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../kube/field-errors.ts';
import { exceedsBytes, goQuote } from '../../kube/go-text.ts';
import { labelValueProblems, nameIsDnsSubdomain } from '../../kube/names.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { createGenericStrategy, withFieldOf } from '../kind/generic-strategy.ts';
import type { Node, NodeSpec, NodeStatus, Taint } from '../types/core-v1.ts';
import { isDualStack, parseCIDR, validateCIDR, warningsForCIDR } from '../../kube/ip.ts';
import { append } from '../rules/append.ts';
import { validateLabelName, validateObjectMeta, validateObjectMetaUpdate } from '../rules/metadata.ts';
import { validateConfigSource, validateConfigStatus } from './node-config.ts';
import { withoutFields } from '../rules/objects.ts';
import { validateResourceAmount } from '../rules/resource-amounts.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const NOTHING: readonly FieldError[] = [];

function validateTaints(taints: readonly Taint[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, taint] of taints.entries()) {
    const at = field.index(path, index);
    const { key, value = '', effect, timeAdded } = taint;
    append(errors, validateLabelName(key, field.child(at, 'key')));
    const problems = labelValueProblems(value);
    if (problems.length > 0) errors.push(invalid(field.child(at, 'value'), value, problems.join(';')));
    if (effect === '') errors.push(required(field.child(at, 'effect'), ''));
    else if (!TAINT_EFFECTS.includes(effect))
      errors.push(notSupported(field.child(at, 'effect'), effect, TAINT_EFFECTS));
    const identity = `${effect}\n${key}`;
    if (seen.has(identity)) {
      const same = duplicate(at, { Key: key, Value: value, Effect: effect, TimeAdded: timeAdded ?? null });
      errors.push({ ...same, message: `${same.message}: taints must be unique by key and effect pair` });
    }
    seen.add(identity);
  }
  return errors;
}

function validateAmounts(status: NodeStatus, errors: FieldError[]): void {
  const { capacity, allocatable } = status;
  for (const name in capacity) {
    append(
      errors,
      validateResourceAmount(name, capacity[name] ?? 0, () => `status.capacity.${name}`),
    );
  }
  // Defaulting sets allocatable to the capacity, so both may be the same object.
  for (const name in allocatable) {
    append(
      errors,
      validateResourceAmount(name, allocatable[name] ?? 0, () => `status.allocatable.${name}`),
    );
  }
}

const FEATURE_NAME = /^[A-Z][a-zA-Z0-9]*(?:\/[a-zA-Z][a-zA-Z0-9]*)*$/;

function featureProblem(name: string): string | undefined {
  if (exceedsBytes(name, 253)) return `invalid feature name ${goQuote(name)}: must be no more than 253 characters`;
  if (FEATURE_NAME.test(name)) return undefined;
  return `invalid feature name ${goQuote(name)}: must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`;
}

function validateDeclaredFeatures(features: readonly string[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, name] of features.entries()) {
    const problem = featureProblem(name);
    if (problem !== undefined) errors.push(invalid(field.index(path, index), name, problem));
    const next = features[index + 1];
    if (next === name) errors.push(duplicate(field.index(path, index + 1), next));
    else if (next !== undefined && name > next) {
      errors.push(invalid(field.index(path, index + 1), next, 'list must be sorted alphabetically'));
    }
  }
  return errors;
}

function validatePodCIDRs(cidrs: readonly string[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  const path = 'spec.podCIDRs';
  for (const [index, cidr] of cidrs.entries()) append(errors, validateCIDR(field.index(path, index), cidr));
  if (cidrs.length < 2) return errors;
  const ranges = cidrs.map(parseCIDR);
  const broken = ranges.findIndex((range) => range === undefined);
  if (broken >= 0) {
    errors.push({
      type: 'InternalError',
      field: path,
      message: `Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${broken}]: <nil> (invalid CIDR address: ${cidrs[broken]})`,
    });
  }
  if (broken >= 0 || cidrs.length > 2 || !isDualStack(ranges.map((range) => range?.ip))) {
    errors.push(invalid(path, cidrs, 'may specify no more than one CIDR for each IP family'));
  }
  return errors;
}

function validate(node: Node): FieldError[] {
  const errors = validateObjectMeta(node.metadata, RULES, 'metadata');
  const { spec, status } = node;
  // Kubernetes reports taints under metadata, though they are in the spec.
  if (spec?.taints?.length) append(errors, validateTaints(spec.taints, 'metadata.taints'));
  if (spec?.podCIDRs?.length) append(errors, validatePodCIDRs(spec.podCIDRs));
  if (!status) return errors;
  validateAmounts(status, errors);
  const swap = status.nodeInfo?.swap?.capacity;
  if (swap !== undefined && swap <= 0) {
    errors.push(invalid('metadata.nodeSwapStatus.capacity', swap, 'must be greater than zero'));
  }
  if (status.declaredFeatures) {
    append(errors, validateDeclaredFeatures(status.declaredFeatures, 'status.declaredFeatures'));
  }
  return errors;
}

const POD_CIDR_FIXED = 'node updates may not change podCIDR except from "" to valid';

/** Fields that are immutable once set: the node's pod ranges, providerID and externalID. */
function validateFixedSpec(spec: NodeSpec, old: NodeSpec, errors: FieldError[]): void {
  const cidrs = spec.podCIDRs ?? [];
  const known = old.podCIDRs ?? [];
  if (known.length > 0 && (known.length !== cidrs.length || known.some((cidr, index) => cidr !== cidrs[index]))) {
    errors.push(forbidden('spec.podCIDRs', POD_CIDR_FIXED));
  }
  if (old.providerID && old.providerID !== (spec.providerID ?? '')) {
    errors.push(forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  }
  if (spec.configSource) append(errors, validateConfigSource(spec.configSource, 'spec.configSource'));
  if ((spec.externalID ?? '') !== (old.externalID ?? '')) {
    errors.push(forbidden('spec.externalID', 'may not be updated'));
  }
}

function validateAddresses(status: NodeStatus, errors: FieldError[]): void {
  const addresses = status.addresses ?? [];
  if (addresses.length < 2) return;
  const seen = new Set<string>();
  for (const [index, { type = '', address = '' }] of addresses.entries()) {
    const identity = `${type}\n${address}`;
    if (seen.has(identity)) {
      errors.push(duplicate(field.index('status.addresses', index), { Type: type, Address: address }));
    }
    seen.add(identity);
  }
}

const EMPTY: NodeSpec = {};

function validateUpdate(node: Node, old: Node, subresource: string): readonly FieldError[] {
  const errors = validateObjectMetaUpdate(node.metadata, old.metadata, 'metadata');
  if (subresource === '') append(errors, validate(node));
  const { spec, status } = node;
  if (status) {
    if (subresource !== '' && status !== old.status) {
      validateAmounts(status, errors);
      if (status.declaredFeatures) {
        append(errors, validateDeclaredFeatures(status.declaredFeatures, 'status.declaredFeatures'));
      }
    }
    validateAddresses(status, errors);
    if (status.config) append(errors, validateConfigStatus(status.config, 'status.config'));
  }
  validateFixedSpec(spec, old.spec ?? EMPTY, errors);
  if (subresource !== '' && spec.taints?.length) append(errors, validateTaints(spec.taints, 'metadata.taints'));
  return errors.length === 0 ? NOTHING : errors;
}

/** `podCIDR` is the first of `podCIDRs`; where they differ, `podCIDR` wins, since older clients write only that one. */
function withPodCIDRs(spec: NodeSpec): NodeSpec {
  const first = spec.podCIDRs?.[0];
  if (spec.podCIDR && spec.podCIDR !== first) return { ...spec, podCIDRs: [spec.podCIDR] };
  return first !== undefined && !spec.podCIDR ? { ...spec, podCIDR: first } : spec;
}

/** `allocatable` defaults to `capacity`. */
function withAllocatable(status: NodeStatus): NodeStatus {
  return status.capacity && !status.allocatable ? { ...status, allocatable: status.capacity } : status;
}

function defaults(node: Node): Node {
  const spec = node.spec && withPodCIDRs(node.spec);
  const status = node.status && withAllocatable(node.status);
  if (spec === node.spec && status === node.status) return node;
  return { ...node, ...(spec ? { spec } : {}), ...(status ? { status } : {}) };
}

/** Configuration through the API server was removed; only nodes that still have it may keep it. */
function withoutConfig(node: Node, old: Node | undefined): Node {
  const spec =
    node.spec?.configSource && !old?.spec?.configSource ? withoutFields(node.spec, 'configSource') : node.spec;
  const status = node.status?.config && !old ? withoutFields(node.status, 'config') : node.status;
  if (spec === node.spec && status === node.status) return node;
  return { ...node, ...(spec ? { spec } : {}), ...(status ? { status } : {}) };
}

export const nodeStrategy: KindStrategy<Node> = {
  ...createGenericStrategy<Node>({ namespaced: false, hasStatus: true, hasGeneration: false }),
  defaults,
  // A node may bring its status with it.
  prepareForCreate: (node) => withoutConfig(node, undefined),
  prepareForUpdate(node, old, subresource) {
    if (subresource !== 'status') return withoutConfig(withFieldOf(node, old, 'status'), old);
    const kept = withFieldOf(node, old, 'spec');
    if (!kept.status?.config || old.status?.config) return kept;
    return { ...kept, status: withoutFields(kept.status, 'config') };
  },
  validate,
  validateUpdate,
  warnings(node) {
    const warnings: string[] = [];
    if (node.spec?.configSource) warnings.push('spec.configSource: the feature is removed');
    if (node.spec?.externalID) {
      warnings.push('spec.externalID: this field is deprecated, and is unused by Kubernetes');
    }
    for (const [index, cidr] of (node.spec?.podCIDRs ?? []).entries()) {
      warnings.push(...warningsForCIDR(field.index('spec.podCIDRs', index), cidr));
    }
    return warnings;
  },
};
