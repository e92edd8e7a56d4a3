/**
 * APIService: which server serves a group in a version. Those of this server are local; there is no aggregation, so an
 * APIService for another server is stored, since manifests of other projects contain them, but no request is sent
 * there.
 */
import { type FieldError, invalid, notSupported, required } from '../../kube/field-errors.ts';
import { goQuote } from '../../kube/go-text.ts';
import { nameIsDns1035Label, nameIsDnsSubdomain, nameIsPathSegment } from '../../kube/names.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { createGenericStrategy } from '../kind/generic-strategy.ts';
import type { APIService, APIServiceCondition, APIServiceSpec } from '../types/apiregistration-v1.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../rules/metadata.ts';

const DEFAULT_PORT = 443;
const HIGHEST_PORT = 65_535;
const HIGHEST_GROUP_PRIORITY = 20_000;
const HIGHEST_VERSION_PRIORITY = 1000;
const STATUSES = ['True', 'False', 'Unknown'];

const generic = createGenericStrategy<APIService>({ namespaced: false, hasStatus: true, hasGeneration: false });

const available = (since: string | undefined): APIServiceCondition => ({
  type: 'Available',
  status: 'True',
  ...(since === undefined ? {} : { lastTransitionTime: since }),
  reason: 'Local',
  message: 'Local APIServices are always available',
});

const META = { anyFinalizer: true } as const;

function validate({ metadata, spec }: APIService): readonly FieldError[] {
  const given: Partial<APIServiceSpec> = spec;
  const { group = '', version = '', groupPriorityMinimum = 0, versionPriority = 0 } = given;
  const wanted = `${version}.${group}`;
  const errors = validateObjectMeta(
    metadata,
    {
      ...META,
      namespaced: false,
      name: (name, prefix) => {
        const problems = nameIsPathSegment(name, prefix);
        if (problems.length > 0 || name === wanted) return problems;
        return [`must be \`spec.version+"."+spec.group\`: ${goQuote(wanted)}`];
      },
    },
    'metadata',
  );
  if (group === '' && version !== 'v1') {
    errors.push(required('spec.group', 'only v1 may have an empty group and it better be legacy kube'));
  }
  if (group !== '') {
    for (const problem of nameIsDnsSubdomain(group, false)) errors.push(invalid('spec.group', group, problem));
  }
  for (const problem of nameIsDns1035Label(version, false)) errors.push(invalid('spec.version', version, problem));
  if (groupPriorityMinimum <= 0 || groupPriorityMinimum > HIGHEST_GROUP_PRIORITY) {
    errors.push(invalid('spec.groupPriorityMinimum', groupPriorityMinimum, 'must be positive and less than 20000'));
  }
  if (versionPriority <= 0 || versionPriority > HIGHEST_VERSION_PRIORITY) {
    errors.push(invalid('spec.versionPriority', versionPriority, 'must be positive and less than 1000'));
  }
  return [...errors, ...validateBackend(given)];
}

function validateBackend(spec: Partial<APIServiceSpec>): readonly FieldError[] {
  const { service, caBundle = '', insecureSkipTLSVerify = false } = spec;
  const errors: FieldError[] = [];
  if (service === undefined) {
    if (caBundle !== '') {
      const bytes = `${Buffer.byteLength(caBundle, 'base64')} bytes`;
      errors.push(invalid('spec.caBundle', bytes, 'local APIServices may not have a caBundle'));
    }
    if (insecureSkipTLSVerify) {
      const why = 'local APIServices may not have insecureSkipTLSVerify';
      errors.push(invalid('spec.insecureSkipTLSVerify', true, why));
    }
    return errors;
  }
  const { name = '', namespace = '', port = DEFAULT_PORT } = service;
  if (namespace === '') errors.push(required('spec.service.namespace', ''));
  if (name === '') errors.push(required('spec.service.name', ''));
  if (port < 1 || port > HIGHEST_PORT) {
    const why = `port is not valid: must be between 1 and ${HIGHEST_PORT}, inclusive`;
    errors.push(invalid('spec.service.port', port, why));
  }
  if (insecureSkipTLSVerify && caBundle !== '') {
    errors.push(invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present'));
  }
  return errors;
}

function validateStatus({ status }: APIService): readonly FieldError[] {
  return (status?.conditions ?? []).flatMap((condition, at) =>
    STATUSES.includes(condition.status)
      ? []
      : [notSupported(`status.conditions[${at}].status`, condition.status, STATUSES)],
  );
}

export const apiServiceStrategy: KindStrategy<APIService> = {
  ...generic,
  defaults(object) {
    const { spec } = object;
    const service = spec?.service;
    if (spec === undefined || service === undefined || service.port !== undefined) return object;
    return { ...object, spec: { ...spec, service: { ...service, port: DEFAULT_PORT } } };
  },
  prepareForCreate(object) {
    const isLocal = object.spec?.service === undefined;
    return { ...object, status: isLocal ? { conditions: [available(object.metadata.creationTimestamp)] } : {} };
  },
  prepareForUpdate(object, old, subresource) {
    if (subresource !== 'status') return generic.prepareForUpdate(object, old, subresource);
    const { labels: _, annotations: _a, finalizers: _f, ownerReferences: _o, ...own } = object.metadata;
    const { labels, annotations, finalizers, ownerReferences } = old.metadata;
    const metadata = {
      ...own,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ...(ownerReferences && { ownerReferences }),
    };
    return { ...object, metadata, spec: old.spec };
  },
  validate,
  validateUpdate: (object, old, subresource) => [
    ...validateObjectMetaUpdate(object.metadata, old.metadata, 'metadata', META),
    ...(subresource === 'status' ? validateStatus(object) : validate(object)),
  ],
  allowUnconditionalUpdate: false,
};
