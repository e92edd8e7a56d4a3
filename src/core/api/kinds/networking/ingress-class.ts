/** IngressClasses: which controller serves an Ingress. */
import { forbidden, immutableField, invalid, notSupported, required, tooLong } from '../../../kube/field-errors.ts';
import { exceedsBytes } from '../../../kube/go-text.ts';
import { dns1123SubdomainProblems, nameIsDnsLabel, nameIsDnsSubdomain, patternProblem } from '../../../kube/names.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import { createGenericStrategy } from '../../kind/generic-strategy.ts';
import type { IngressClass, IngressClassParametersReference } from '../../types/networking-v1.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../rules/metadata.ts';
import { addAll, addTexts, type Findings } from '../../rules/findings.ts';
import { simpleDefaults } from '../simple-defaults.ts';
import { validateTypedReference } from './references.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const MAX_CONTROLLER = 250;
const HTTP_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const SCOPES = ['Cluster', 'Namespace'];

function validate({ metadata, spec }: IngressClass): Findings {
  const found = validateObjectMeta(metadata, RULES, 'metadata');
  const { controller = '', parameters } = spec ?? {};
  if (exceedsBytes(controller, MAX_CONTROLLER)) found.push(tooLong('spec.controller', MAX_CONTROLLER));
  validatePrefixedPath(found, controller, 'spec.controller');
  if (parameters !== undefined) validateParameters(found, parameters, 'spec.parameters');
  return found;
}

/** `acme.io/foo`. */
function validatePrefixedPath(found: Findings, value: string, path: string): void {
  const slash = value.indexOf('/');
  const [domain, rest] = [value.slice(0, Math.max(slash, 0)), value.slice(slash + 1)];
  if (value === '') found.push(required(path, ''));
  else if (domain === '' || rest === '') {
    found.push(invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")'));
  } else {
    addTexts(found, path, domain, dns1123SubdomainProblems(domain));
    if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(rest)) {
      found.push(invalid(path, rest, patternProblem('Invalid path', HTTP_PATH)));
    }
  }
}

function validateParameters(found: Findings, parameters: IngressClassParametersReference, path: string): void {
  const { scope, namespace } = parameters;
  validateTypedReference(found, parameters, path);
  const at = `${path}.namespace`;
  if (scope === undefined) found.push(required(`${path}.scope`, ''));
  else if (!SCOPES.includes(scope)) found.push(notSupported(`${path}.scope`, scope, SCOPES));
  else if (scope === 'Namespace') {
    if (namespace === undefined) found.push(required(at, "`parameters.scope` is set to 'Namespace'"));
    else addTexts(found, at, namespace, nameIsDnsLabel(namespace, false));
  } else if (namespace !== undefined) found.push(forbidden(at, "`parameters.scope` is set to 'Cluster'"));
}

export const ingressClassStrategy: KindStrategy<IngressClass> = {
  ...createGenericStrategy<IngressClass>({ namespaced: false, hasStatus: false }),
  defaults: simpleDefaults('networking.k8s.io/ingressclasses'),
  validate,
  validateUpdate(ingressClass, old) {
    const found = validateObjectMetaUpdate(ingressClass.metadata, old.metadata, 'metadata');
    const controller = ingressClass.spec?.controller ?? '';
    if (controller !== (old.spec?.controller ?? '')) found.push(immutableField('spec.controller', controller));
    addAll(found, validate(ingressClass));
    return found;
  },
};
