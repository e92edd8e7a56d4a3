/** CSI kinds: drivers and their requirements, the nodes drivers run on, and storage capacity. */
import { duplicate, field, immutableField, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { exceedsBytes } from '../../../kube/go-text.ts';
import { deepEqual, withMember } from '../../../kube/immutable.ts';
import { nameIsDnsSubdomain, qualifiedNameProblems } from '../../../kube/names.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import { createGenericStrategy } from '../../kind/generic-strategy.ts';
import type {
  CSIDriver,
  CSIDriverSpec,
  CSINode,
  CSINodeDriver,
  CSIStorageCapacity,
  TokenRequest,
} from '../../types/storage-v1.ts';
import { validateLabelSelector, validateObjectMeta, validateObjectMetaUpdate } from '../../rules/metadata.ts';
import { addAll, addTexts, type Findings, listOf, nonNegative } from '../../rules/findings.ts';
import { internalValue } from '../pod/internal-form.ts';
import { validateDriverName } from '../pod/validate-volumes.ts';
import { DEPRECATED_LABELS } from '../pod/warnings.ts';
import { amountText, isNegative } from '../../rules/quantities.ts';
import { simpleDefaults } from '../simple-defaults.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const FS_GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const LIFECYCLE_MODES = ['Persistent', 'Ephemeral'];
const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;
const MIN_UPDATE_PERIOD = 10;

function validateDriverSpec(found: Findings, spec: CSIDriverSpec): void {
  // Upstream's message spells this field `attachedRequired`.
  if (spec.attachRequired === undefined) found.push(required('spec.attachedRequired', ''));
  if (spec.podInfoOnMount === undefined) found.push(required('spec.podInfoOnMount', ''));
  if (spec.storageCapacity === undefined) found.push(required('spec.storageCapacity', ''));
  if (spec.fsGroupPolicy !== undefined && !FS_GROUP_POLICIES.includes(spec.fsGroupPolicy)) {
    found.push(notSupported('spec.fsGroupPolicy', spec.fsGroupPolicy, FS_GROUP_POLICIES));
  }
  validateTokens(found, listOf(spec.tokenRequests), 'spec.tokenRequests');
  for (const mode of listOf(spec.volumeLifecycleModes)) {
    if (!LIFECYCLE_MODES.includes(mode)) {
      found.push(notSupported('spec.volumeLifecycleModes', mode, LIFECYCLE_MODES));
    }
  }
  if (spec.seLinuxMount === undefined) found.push(required('spec.seLinuxMount', ''));
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  if (period !== undefined && period < MIN_UPDATE_PERIOD) {
    const text = 'must be greater than or equal to 10 seconds';
    found.push(invalid('spec.nodeAllocatableUpdatePeriodSeconds', period, text));
  }
  const inSecrets = spec.serviceAccountTokenInSecrets;
  if (inSecrets !== undefined && listOf(spec.tokenRequests).length === 0) {
    const text = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
    found.push(invalid('spec.serviceAccountTokenInSecrets', inSecrets, text));
  }
}

function validateTokens(found: Findings, requests: readonly TokenRequest[], path: string): void {
  const audiences = new Set<string>();
  for (const [index, { audience = '', expirationSeconds }] of (
    requests as readonly Partial<TokenRequest>[]
  ).entries()) {
    const at = field.index(path, index);
    if (audiences.has(audience)) {
      found.push(duplicate(`${at}.audience`, audience));
      continue;
    }
    audiences.add(audience);
    if (expirationSeconds === undefined) continue;
    const seconds = `${at}.expirationSeconds`;
    if (expirationSeconds < MIN_TOKEN_SECONDS) {
      found.push(invalid(seconds, expirationSeconds, 'may not specify a duration less than 10 minutes'));
    }
    if (expirationSeconds > MAX_TOKEN_SECONDS) {
      found.push(invalid(seconds, expirationSeconds, 'may not specify a duration larger than 2^32 seconds'));
    }
  }
}

/** A feature that 1.36 has switched off. */
const withoutDisabled = (driver: CSIDriver): CSIDriver =>
  driver.spec === undefined
    ? driver
    : withMember(driver, 'spec', withMember(driver.spec, 'preventPodSchedulingIfMissing', undefined));

export const csiDriverStrategy: KindStrategy<CSIDriver> = {
  ...createGenericStrategy<CSIDriver>({ namespaced: false, hasStatus: false, hasGeneration: false }),
  defaults: simpleDefaults('storage.k8s.io/csidrivers'),
  prepareForCreate: withoutDisabled,
  prepareForUpdate: (driver, old) =>
    old.spec?.preventPodSchedulingIfMissing === undefined ? withoutDisabled(driver) : driver,
  // Only changes are counted: a driver begins without a generation.
  generationChanged: (driver, old) => !deepEqual(driver.spec, old.spec),
  validate(driver) {
    const found = validateObjectMeta(driver.metadata, RULES, 'metadata');
    validateDriverSpec(found, driver.spec ?? {});
    return found;
  },
  validateUpdate(driver, old) {
    const found = validateObjectMetaUpdate(driver.metadata, old.metadata, 'metadata');
    const spec = driver.spec ?? {};
    validateDriverSpec(found, spec);
    const before = old.spec ?? {};
    if (spec.attachRequired !== before.attachRequired) {
      found.push(immutableField('spec.attachedRequired', spec.attachRequired));
    }
    if (!deepEqual(spec.volumeLifecycleModes, before.volumeLifecycleModes)) {
      found.push(immutableField('spec.volumeLifecycleModes', spec.volumeLifecycleModes));
    }
    return found;
  },
  warnings: ({ spec }, old) =>
    listOf(spec?.tokenRequests).length > 0 &&
    spec?.serviceAccountTokenInSecrets === undefined &&
    !deepEqual(spec?.tokenRequests, old?.spec?.tokenRequests)
      ? [
          'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
        ]
      : [],
  allowUnconditionalUpdate: false,
};

const MAX_NODE_ID = 256;

function validateNode({ metadata, spec }: CSINode): Findings {
  const found = validateObjectMeta(metadata, RULES, 'metadata');
  const names = new Set<string>();
  for (const [index, driver] of listOf(spec?.drivers).entries()) {
    const path = field.index('spec.drivers', index);
    validateNodeDriver(found, driver, path);
    if (names.has(driver.name)) found.push(duplicate(`${path}.name`, driver.name));
    names.add(driver.name);
  }
  return found;
}

function validateNodeDriver(found: Findings, driver: CSINodeDriver, path: string): void {
  const { name, nodeID, allocatable, topologyKeys } = driver;
  validateDriverName(found, name, `${path}.name`);
  if (nodeID === '') found.push(required(`${path}.nodeID`, ''));
  if (exceedsBytes(nodeID, MAX_NODE_ID)) {
    found.push(invalid(`${path}.nodeID`, nodeID, `must be ${MAX_NODE_ID} characters or less`));
  }
  nonNegative(found, allocatable?.count, `${path}.allocatable.count`);
  const keys = new Set<string>();
  for (const key of listOf(topologyKeys)) {
    if (key === '') found.push(required(path, key));
    if (keys.has(key)) found.push(duplicate(path, key));
    keys.add(key);
    addTexts(found, path, key, qualifiedNameProblems(key));
  }
}

export const csiNodeStrategy: KindStrategy<CSINode> = {
  ...createGenericStrategy<CSINode>({ namespaced: false, hasStatus: false, hasGeneration: false }),
  validate: validateNode,
  validateUpdate(node, old) {
    const found = validateNode(node);
    addAll(found, validateObjectMetaUpdate(node.metadata, old.metadata, 'metadata'));
    const before = new Map(listOf(old.spec?.drivers).map((driver) => [driver.name, driver]));
    for (const driver of listOf(node.spec?.drivers)) {
      const known = before.get(driver.name);
      if (known === undefined) continue;
      // The allocatable count may change; the rest of the driver is immutable.
      const next = withMember(driver, 'allocatable', undefined);
      if (deepEqual(next, withMember(known, 'allocatable', undefined))) continue;
      found.push(immutableField('spec.drivers', internalValue('storage.CSINodeDriver', next)));
    }
    return found;
  },
  allowUnconditionalUpdate: false,
};

const CAPACITY_RULES = { namespaced: true, name: nameIsDnsSubdomain };

function validateCapacity(capacity: CSIStorageCapacity, allowInvalidValues: boolean): Findings {
  const found = validateObjectMeta(capacity.metadata, CAPACITY_RULES, 'metadata');
  const { nodeTopology, storageClassName, capacity: amount } = capacity;
  addAll(found, validateLabelSelector(nodeTopology, 'nodeTopology', { allowInvalidValues }));
  addTexts(found, 'storageClassName', storageClassName, nameIsDnsSubdomain(storageClassName, false));
  if (amount !== undefined && isNegative(amount)) {
    found.push(invalid('capacity', amountText(amount), 'must be greater than or equal to 0'));
  }
  return found;
}

export const csiStorageCapacityStrategy: KindStrategy<CSIStorageCapacity> = {
  ...createGenericStrategy<CSIStorageCapacity>({ namespaced: true, hasStatus: false, hasGeneration: false }),
  validate: (capacity) => validateCapacity(capacity, false),
  validateUpdate(capacity, old) {
    const lenient = validateLabelSelector(old.nodeTopology, '').length > 0;
    const found = validateCapacity(capacity, lenient);
    addAll(found, validateObjectMetaUpdate(capacity.metadata, old.metadata, 'metadata'));
    if (!deepEqual(capacity.nodeTopology, old.nodeTopology)) {
      found.push(immutableField('nodeTopology', capacity.nodeTopology));
    }
    if (capacity.storageClassName !== old.storageClassName) {
      found.push(immutableField('storageClassName', capacity.storageClassName));
    }
    return found;
  },
  warnings: ({ nodeTopology }) => [
    ...listOf(nodeTopology?.matchExpressions).flatMap(({ key }, index) => {
      const text = DEPRECATED_LABELS.get(key);
      return text === undefined
        ? []
        : [`${field.index('nodeTopology.matchExpressions', index)}.key: ${key} is ${text}`];
    }),
    ...Object.keys(nodeTopology?.matchLabels ?? {}).flatMap((key) => {
      const text = DEPRECATED_LABELS.get(key);
      return text === undefined ? [] : [`${field.key('nodeTopology.matchLabels', key)}: ${text}`];
    }),
  ],
  allowUnconditionalUpdate: false,
};
