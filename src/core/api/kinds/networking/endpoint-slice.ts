/** EndpointSlices: the addresses behind a service. */
import {
  duplicate,
  type FieldError,
  field,
  immutableField,
  invalid,
  notSupported,
  required,
  tooMany,
} from '../../../kube/field-errors.ts';
import { deepEqual, withMember } from '../../../kube/immutable.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelValueProblems,
  nameIsDnsSubdomain,
  qualifiedNameProblems,
} from '../../../kube/names.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import { contentChanged, createGenericStrategy } from '../../kind/generic-strategy.ts';
import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from '../../types/discovery-v1.ts';
import { PROTOCOLS } from '../endpoints.ts';
import {
  familyOf,
  parseIP,
  validateEndpointIP,
  validateIP,
  validateStrictIP,
  warningsForIP,
} from '../../../kube/ip.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../rules/metadata.ts';
import { mapped } from '../../rules/objects.ts';
import { addAll, addTexts, type Findings, listOf, lookup } from '../../rules/findings.ts';
import { simpleDefaults } from '../simple-defaults.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const MAX_ENDPOINTS = 1000;
const MAX_ADDRESSES = 100;
const MAX_PORTS = 20_000;
const MAX_HINTS = 8;

function validate(slice: EndpointSlice, old: EndpointSlice | undefined): Findings {
  const found = validateObjectMeta(slice.metadata, RULES, 'metadata');
  const { addressType = '' } = slice as Partial<EndpointSlice>;
  if (addressType === '') found.push(required('addressType', ''));
  else if (!ADDRESS_TYPES.includes(addressType)) {
    found.push(notSupported('addressType', addressType, ADDRESS_TYPES));
  }
  validatePorts(found, listOf(slice.ports));
  const endpoints: Findings = [];
  validateEndpoints(endpoints, listOf(slice.endpoints), addressType);
  // Validation ratcheting: endpoints that the update did not change stay accepted.
  const kept = old !== undefined && endpoints.length > 0 && deepEqual(slice.endpoints, old.endpoints);
  if (!kept) addAll(found, endpoints);
  return found;
}

function validateEndpoints(found: Findings, endpoints: readonly Endpoint[], addressType: string): void {
  if (endpoints.length > MAX_ENDPOINTS) {
    found.push(tooMany('endpoints', endpoints.length, MAX_ENDPOINTS));
    return;
  }
  for (const [index, endpoint] of endpoints.entries()) {
    validateEndpoint(found, endpoint, addressType, field.index('endpoints', index));
  }
}

function validateEndpoint(found: Findings, endpoint: Endpoint, addressType: string, path: string): void {
  const addresses = listOf(endpoint.addresses);
  const at = `${path}.addresses`;
  if (addresses.length === 0) found.push(required(at, 'must contain at least 1 address'));
  else if (addresses.length > MAX_ADDRESSES) found.push(tooMany(at, addresses.length, MAX_ADDRESSES));
  for (const [index, address] of addresses.entries()) validateAddress(found, address, addressType, at, index);
  const { nodeName, hostname, hints } = endpoint;
  if (nodeName !== undefined) addTexts(found, `${path}.nodeName`, nodeName, nameIsDnsSubdomain(nodeName, false));
  if (hostname !== undefined) addTexts(found, `${path}.hostname`, hostname, dns1123LabelProblems(hostname));
  if (hints !== undefined) validateHints(found, hints, `${path}.hints`);
}

function validateAddress(found: Findings, address: string, type: string, path: string, index: number): void {
  const at = field.index(path, index);
  if (type === 'FQDN') {
    const problem = domainNameProblem(address, at);
    if (problem) found.push(problem);
  }
  if (type !== 'IPv4' && type !== 'IPv6') return;
  const problems = type === 'IPv4' ? validateIP(at, address) : validateStrictIP(at, address);
  addAll(found, problems);
  if (problems.length > 0) return;
  const ip = parseIP(address);
  if (ip === undefined || familyOf(ip) !== type) found.push(invalid(path, address, `must be an ${type} address`));
  addAll(found, validateEndpointIP(at, address));
}

function domainNameProblem(given: string, path: string): FieldError | undefined {
  if (given === '') return required(path, '');
  const name = given.endsWith('.') ? given.slice(0, -1) : given;
  const problems = dns1123SubdomainProblems(name);
  if (problems.length > 0) return invalid(path, name, problems.join(','));
  const labels = name.split('.');
  if (labels.length < 2) {
    return invalid(path, name, 'should be a domain with at least two segments separated by dots');
  }
  for (const label of labels) {
    const found = dns1123LabelProblems(label);
    if (found.length > 0) return invalid(path, label, found.join(','));
  }
  return undefined;
}

function validatePorts(found: Findings, ports: readonly EndpointPort[]): void {
  if (ports.length > MAX_PORTS) {
    found.push(tooMany('ports', ports.length, MAX_PORTS));
    return;
  }
  const names = new Set<string>();
  for (const [index, { name = '', protocol, appProtocol }] of ports.entries()) {
    const path = field.index('ports', index);
    if (name !== '') addTexts(found, `${path}.name`, name, dns1123LabelProblems(name));
    if (names.has(name)) found.push(duplicate(`${path}.name`, name));
    names.add(name);
    if (protocol === undefined) found.push(required(`${path}.protocol`, ''));
    else if (!PROTOCOLS.includes(protocol)) found.push(notSupported(`${path}.protocol`, protocol, PROTOCOLS));
    if (appProtocol !== undefined) {
      addTexts(found, `${path}.appProtocol`, appProtocol, qualifiedNameProblems(appProtocol));
    }
  }
}

function validateHints(found: Findings, { forZones, forNodes }: EndpointHints, path: string): void {
  if (!validateNames(found, listOf(forZones), labelValueProblems, `${path}.forZones`)) return;
  validateNames(found, listOf(forNodes), (name) => nameIsDnsSubdomain(name, false), `${path}.forNodes`);
}

/** True if the number of entries is within the limit. */
function validateNames(
  found: Findings,
  entries: readonly { readonly name: string }[],
  problems: (name: string) => readonly string[],
  path: string,
): boolean {
  if (entries.length > MAX_HINTS) {
    found.push(tooMany(path, entries.length, MAX_HINTS));
    return false;
  }
  const seen = new Set<string>();
  for (const [index, { name }] of entries.entries()) {
    const at = `${field.index(path, index)}.name`;
    if (seen.has(name)) found.push(duplicate(at, name));
    seen.add(name);
    addTexts(found, at, name, problems(name));
  }
  return true;
}

/** `deprecatedTopology`, a field of the beta API, is read-only in this version: dropped from every write. */
const withoutTopology = (endpoint: Endpoint): Endpoint => withMember(endpoint, 'deprecatedTopology', undefined);

function cleaned(slice: EndpointSlice): EndpointSlice {
  if (slice.endpoints === undefined) return slice;
  const endpoints = mapped(slice.endpoints, withoutTopology);
  return endpoints === slice.endpoints ? slice : { ...slice, endpoints };
}

const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const CONTROLLERS = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'];

/** No address warnings for slices of the built-in controllers, which write addresses in canonical form. */
function warnings({ metadata, addressType, endpoints }: EndpointSlice, old?: EndpointSlice): readonly string[] {
  const isNew = old === undefined;
  const deprecated = isNew && addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : [];
  if (CONTROLLERS.includes(lookup(metadata.labels, MANAGED_BY) ?? '')) return deprecated;
  const addresses = listOf(endpoints).flatMap((endpoint, index) =>
    listOf(endpoint.addresses).flatMap((address, position) =>
      warningsForIP(field.index(`${field.index('endpoints', index)}.addresses`, position), address),
    ),
  );
  return [...deprecated, ...addresses];
}

export const endpointSliceStrategy: KindStrategy<EndpointSlice> = {
  ...createGenericStrategy<EndpointSlice>({ namespaced: true, hasStatus: false }),
  defaults: simpleDefaults('discovery.k8s.io/endpointslices'),
  prepareForCreate: cleaned,
  prepareForUpdate(slice, old) {
    if (deepEqual(slice.endpoints, old.endpoints)) return slice;
    const kept = cleaned(slice);
    if (kept === slice) return slice;
    // The dropped field still raises the generation, which is counted before the field is dropped.
    return { ...kept, metadata: { ...kept.metadata, generation: (old.metadata.generation ?? 0) + 1 } };
  },
  validate: (slice) => validate(slice, undefined),
  validateUpdate(slice, old) {
    const found = validate(slice, old);
    addAll(found, validateObjectMetaUpdate(slice.metadata, old.metadata, 'metadata'));
    if (slice.addressType !== old.addressType) found.push(immutableField('addressType', slice.addressType));
    return found;
  },
  warnings,
  generationChanged: (slice, old) =>
    contentChanged(slice, old) || !deepEqual(slice.metadata.labels ?? {}, old.metadata.labels ?? {}),
};
