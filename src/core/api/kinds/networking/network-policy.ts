/** NetworkPolicies: who may talk to whom. */
import { field, forbidden, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { nameIsDnsSubdomain } from '../../../kube/names.ts';
import { portNameProblems, portNumberProblems } from '../../../kube/value-formats.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import { createGenericStrategy } from '../../kind/generic-strategy.ts';
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from '../../types/networking-v1.ts';
import { containsStrictly, parseCIDR, validateCIDR, warningsForCIDR } from '../../../kube/ip.ts';
import { validateLabelSelector, validateObjectMeta, validateObjectMetaUpdate } from '../../rules/metadata.ts';
import { addAll, addTexts, type Findings, listOf } from '../../rules/findings.ts';
import { simpleDefaults } from '../simple-defaults.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const TYPES = ['Ingress', 'Egress'];

interface Leniency {
  readonly allowInvalidValues: boolean;
  /** Ranges in the stored policy, which may stay. */
  readonly known: readonly string[];
}

const STRICT: Leniency = { allowInvalidValues: false, known: [] };

interface Direction {
  readonly path: string;
  readonly peersPath: string;
  readonly peers: readonly NetworkPolicyPeer[];
  readonly ports: readonly NetworkPolicyPort[];
}

/** Rules of both directions in one shape, so that both are validated alike. */
function directionsOf({ ingress, egress }: NetworkPolicySpec): readonly Direction[] {
  return [
    ...listOf(ingress).map(({ from, ports }, index) => {
      const path = field.index('spec.ingress', index);
      return { path, peersPath: `${path}.from`, peers: listOf(from), ports: listOf(ports) };
    }),
    ...listOf(egress).map(({ to, ports }, index) => {
      const path = field.index('spec.egress', index);
      return { path, peersPath: `${path}.to`, peers: listOf(to), ports: listOf(ports) };
    }),
  ];
}

function validateSpec(found: Findings, spec: NetworkPolicySpec, lenient: Leniency): void {
  addAll(found, validateLabelSelector(spec.podSelector, 'spec.podSelector', lenient));
  for (const { path, peersPath, peers, ports } of directionsOf(spec)) {
    for (const [index, port] of ports.entries()) validatePort(found, port, field.index(`${path}.ports`, index));
    for (const [index, peer] of peers.entries()) validatePeer(found, peer, lenient, field.index(peersPath, index));
  }
  const types = listOf(spec.policyTypes);
  if (types.length > TYPES.length) {
    found.push(invalid('spec.policyTypes', types, 'may not specify more than two policyTypes'));
    return;
  }
  for (const [index, type] of types.entries()) {
    if (!TYPES.includes(type)) found.push(notSupported(field.index('spec.policyTypes', index), type, TYPES));
  }
}

function validatePort(found: Findings, { protocol, port, endPort }: NetworkPolicyPort, path: string): void {
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) {
    found.push(notSupported(`${path}.protocol`, protocol, PROTOCOLS));
  }
  const last = `${path}.endPort`;
  if (typeof port === 'number') {
    addTexts(found, `${path}.port`, port, portNumberProblems(port));
    if (endPort === undefined) return;
    // Upstream shows the first port of the range here.
    if (endPort < port) found.push(invalid(last, port, 'must be greater than or equal to `port`'));
    addTexts(found, last, endPort, portNumberProblems(endPort));
    return;
  }
  if (endPort !== undefined) {
    const why = port === undefined ? 'not specified' : 'non-numeric';
    found.push(invalid(last, endPort, `may not be specified when \`port\` is ${why}`));
  }
  if (port !== undefined) addTexts(found, `${path}.port`, port, portNameProblems(port));
}

function validatePeer(found: Findings, peer: NetworkPolicyPeer, lenient: Leniency, path: string): void {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  addAll(found, validateLabelSelector(podSelector, `${path}.podSelector`, lenient));
  addAll(found, validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`, lenient));
  const selects = podSelector !== undefined || namespaceSelector !== undefined;
  if (ipBlock !== undefined) {
    validateBlock(found, ipBlock, lenient.known, `${path}.ipBlock`);
    if (selects) found.push(forbidden(path, 'may not specify both ipBlock and another peer'));
  } else if (!selects) found.push(required(path, 'must specify a peer'));
}

function validateBlock(found: Findings, block: IPBlock, known: readonly string[], path: string): void {
  const { cidr } = block;
  if (cidr === '') {
    found.push(required(`${path}.cidr`, ''));
    return;
  }
  addAll(found, validateCIDR(`${path}.cidr`, cidr, known));
  const range = parseCIDR(cidr);
  if (range === undefined) return;
  for (const [index, except] of listOf(block.except).entries()) {
    const at = field.index(`${path}.except`, index);
    addAll(found, validateCIDR(at, except, known));
    const inner = parseCIDR(except);
    if (inner === undefined || containsStrictly(range, inner)) continue;
    found.push(invalid(at, except, 'must be a strict subset of `cidr`'));
  }
}

const blocksOf = (spec: NetworkPolicySpec): readonly (IPBlock & { readonly path: string })[] =>
  directionsOf(spec).flatMap(({ peers, peersPath }) =>
    peers.flatMap(({ ipBlock }, index) =>
      ipBlock === undefined ? [] : [{ ...ipBlock, path: `${field.index(peersPath, index)}.ipBlock` }],
    ),
  );

export const networkPolicyStrategy: KindStrategy<NetworkPolicy> = {
  ...createGenericStrategy<NetworkPolicy>({ namespaced: true, hasStatus: false }),
  defaults: simpleDefaults('networking.k8s.io/networkpolicies'),
  validate(policy) {
    const found = validateObjectMeta(policy.metadata, RULES, 'metadata');
    validateSpec(found, policy.spec ?? {}, STRICT);
    return found;
  },
  validateUpdate(policy, old) {
    const found = validateObjectMetaUpdate(policy.metadata, old.metadata, 'metadata');
    const before = old.spec ?? {};
    validateSpec(found, policy.spec ?? {}, {
      allowInvalidValues: validateLabelSelector(before.podSelector, '').length > 0,
      known: blocksOf(before).flatMap(({ cidr, except }) => [cidr, ...listOf(except)]),
    });
    return found;
  },
  warnings: ({ spec }) =>
    blocksOf(spec ?? {}).flatMap(({ cidr, except, path }) => [
      ...warningsForCIDR(`${path}.cidr`, cidr),
      ...listOf(except).flatMap((value, index) => warningsForCIDR(field.index(`${path}.except`, index), value)),
    ]),
};
