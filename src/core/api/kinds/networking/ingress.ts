/** Ingresses: which service answers for a host and a path. */
import { field, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import {
  dns1123SubdomainProblems,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  wildcardDns1123SubdomainProblems,
} from '../../../kube/names.ts';
import { portNameProblems, portNumberProblems } from '../../../kube/value-formats.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import { createGenericStrategy } from '../../kind/generic-strategy.ts';
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressRule,
  IngressServiceBackend,
  IngressSpec,
  IngressStatus,
  IngressTLS,
} from '../../types/networking-v1.ts';
import { parseIP, validateIP } from '../../../kube/ip.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../rules/metadata.ts';
import { addAll, addTexts, type Findings, listOf, lookup } from '../../rules/findings.ts';
import { validateTypedReference } from './references.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const BAD_SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];
const BAD_ENDINGS = ['/..', '/.'];
const NOT_A_NAME = 'must be a DNS name, not an IP address';

interface Leniency {
  readonly anySecretName: boolean;
  readonly anyWildcardRule: boolean;
}

const STRICT: Leniency = { anySecretName: false, anyWildcardRule: false };

function validateSpec(found: Findings, spec: IngressSpec, lenient: Leniency): void {
  const { defaultBackend, ingressClassName, rules } = spec;
  if (listOf(rules).length === 0 && defaultBackend === undefined) {
    found.push(invalid('spec', rules ?? null, 'either `defaultBackend` or `rules` must be specified'));
  }
  if (defaultBackend !== undefined) validateBackend(found, defaultBackend, 'spec.defaultBackend');
  for (const [index, rule] of listOf(rules).entries()) {
    validateRule(found, rule, lenient, field.index('spec.rules', index));
  }
  for (const [index, tls] of listOf(spec.tls).entries()) {
    validateTls(found, tls, lenient, field.index('spec.tls', index));
  }
  if (ingressClassName === undefined) return;
  addTexts(found, 'spec.ingressClassName', ingressClassName, nameIsDnsSubdomain(ingressClassName, false));
}

const hostProblems = (host: string): readonly string[] =>
  host.includes('*') ? wildcardDns1123SubdomainProblems(host) : dns1123SubdomainProblems(host);

function validateTls(found: Findings, { hosts, secretName = '' }: IngressTLS, lenient: Leniency, path: string): void {
  for (const [index, host] of listOf(hosts).entries()) {
    addTexts(found, field.index(`${path}.hosts`, index), host, hostProblems(host));
  }
  if (!lenient.anySecretName) addTexts(found, `${path}.secretName`, secretName, secretNameProblems(secretName));
}

const secretNameProblems = (name: string): readonly string[] => (name === '' ? [] : nameIsDnsSubdomain(name, false));

function validateRule(found: Findings, rule: IngressRule, lenient: Leniency, path: string): void {
  const { host = '' } = rule;
  if (host !== '') {
    if (parseIP(host) !== undefined) found.push(invalid(`${path}.host`, host, NOT_A_NAME));
    addTexts(found, `${path}.host`, host, hostProblems(host));
  }
  if (!host.includes('*') || !lenient.anyWildcardRule) validatePaths(found, rule, path);
}

function validatePaths(found: Findings, { http }: IngressRule, path: string): void {
  if (http === undefined) return;
  const paths = listOf(http.paths);
  if (paths.length === 0) found.push(required(`${path}.http.paths`, ''));
  for (const [index, each] of paths.entries()) {
    validatePath(found, each, field.index(`${path}.http.paths`, index));
  }
}

function validatePath(found: Findings, given: Partial<HTTPIngressPath>, path: string): void {
  const { pathType, path: text = '', backend } = given;
  if (pathType === undefined) {
    found.push(required(`${path}.pathType`, 'pathType must be specified'));
    return;
  }
  const at = `${path}.path`;
  const loose = pathType === 'ImplementationSpecific';
  if (!PATH_TYPES.includes(pathType)) found.push(notSupported(`${path}.pathType`, pathType, PATH_TYPES));
  else if (!text.startsWith('/') && !(loose && text === '')) {
    found.push(invalid(at, text, 'must be an absolute path'));
  }
  if (pathType === 'Exact' || pathType === 'Prefix') {
    for (const sequence of BAD_SEQUENCES) {
      if (text.includes(sequence)) found.push(invalid(at, text, `must not contain '${sequence}'`));
    }
    for (const ending of BAD_ENDINGS) {
      if (text.endsWith(ending)) found.push(invalid(at, text, `cannot end with '${ending}'`));
    }
  }
  validateBackend(found, backend ?? {}, `${path}.backend`);
}

function validateBackend(found: Findings, backend: IngressBackend, path: string): void {
  const { resource, service } = backend;
  if (resource !== undefined && service !== undefined) {
    found.push(invalid(path, '', 'cannot set both resource and service backends'));
  } else if (resource !== undefined) validateTypedReference(found, resource, `${path}.resource`);
  else if (service !== undefined) validateService(found, service, path);
  else found.push(invalid(path, '', 'resource or service backend is required'));
}

function validateService(found: Findings, service: IngressServiceBackend, path: string): void {
  const { name = '', port } = service as Partial<IngressServiceBackend>;
  if (name === '') found.push(required(`${path}.service.name`, ''));
  else addTexts(found, `${path}.service.name`, name, nameIsDnsLabel(name, false));
  const { name: portName = '', number = 0 } = port ?? {};
  if (portName !== '' && number !== 0) found.push(invalid(path, '', 'cannot set both port name & port number'));
  else if (portName !== '') addTexts(found, `${path}.service.port.name`, portName, portNameProblems(portName));
  else if (number !== 0) addTexts(found, `${path}.service.port.number`, number, portNumberProblems(number));
  else found.push(required(path, 'port name or number is required'));
}

/** Validation ratcheting: rules that the stored ingress already violates are not applied to its update. */
function leniencyAfter({ spec }: Ingress): Leniency {
  const rules = listOf(spec?.rules);
  return {
    anySecretName: listOf(spec?.tls).some(({ secretName = '' }) => secretNameProblems(secretName).length > 0),
    anyWildcardRule: rules.some((rule) => {
      const found: Findings = [];
      if (rule.host?.includes('*') === true) validatePaths(found, rule, '');
      return found.length > 0;
    }),
  };
}

function validateStatus(found: Findings, status: IngressStatus | undefined, old: IngressStatus | undefined): void {
  const known = listOf(old?.loadBalancer?.ingress).map(({ ip = '' }) => ip);
  for (const [index, { ip = '', hostname = '' }] of listOf(status?.loadBalancer?.ingress).entries()) {
    const path = field.index('status.loadBalancer.ingress', index);
    if (ip !== '') addAll(found, validateIP(`${path}.ip`, ip, known));
    if (hostname === '') continue;
    addTexts(found, `${path}.hostname`, hostname, dns1123SubdomainProblems(hostname));
    if (parseIP(hostname) !== undefined) found.push(invalid(`${path}.hostname`, hostname, NOT_A_NAME));
  }
}

export const ingressStrategy: KindStrategy<Ingress> = {
  ...createGenericStrategy<Ingress>({
    namespaced: true,
    hasStatus: true,
    emptyStatus: () => ({ loadBalancer: {} }),
  }),
  validate(ingress) {
    const found = validateObjectMeta(ingress.metadata, RULES, 'metadata');
    validateSpec(found, ingress.spec ?? {}, STRICT);
    const annotated = lookup(ingress.metadata.annotations, CLASS_ANNOTATION);
    const named = ingress.spec?.ingressClassName;
    if (annotated !== undefined && named !== undefined && annotated !== named) {
      const text = 'must match `ingressClassName` when both are specified';
      found.push(invalid(`annotations.${CLASS_ANNOTATION}`, annotated, text));
    }
    return found;
  },
  validateUpdate(ingress, old, subresource) {
    const found = validateObjectMetaUpdate(ingress.metadata, old.metadata, 'metadata');
    if (subresource === 'status') validateStatus(found, ingress.status, old.status);
    else validateSpec(found, ingress.spec ?? {}, leniencyAfter(old));
    return found;
  },
  warnings: ({ metadata, spec }, old) =>
    old === undefined &&
    lookup(metadata.annotations, CLASS_ANNOTATION) !== undefined &&
    spec?.ingressClassName === undefined
      ? [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
};
