/** Webhooks and policies that judge requests. */
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../types/admissionregistration-v1.ts';
import { AGE, int, NAME, printer, text } from './columns.ts';
import { age, selectorCell, UNSET } from './text.ts';

export const webhookConfigurationPrinter = printer<MutatingWebhookConfiguration | ValidatingWebhookConfiguration>(
  [NAME, int('Webhooks', 'Webhooks the configuration registers'), AGE],
  (object, now) => [object.metadata.name, object.webhooks?.length ?? 0, age(object, now)],
);

const paramKind = (kind: ParamKind | undefined): string =>
  kind ? `${kind.apiVersion ?? ''}/${kind.kind ?? ''}` : UNSET;

const PARAM_KIND = text('ParamKind', 'Kind of the objects that parameterize the policy');

export const validatingPolicyPrinter = printer<ValidatingAdmissionPolicy>(
  [NAME, int('Validations', 'Rules of the policy'), PARAM_KIND, AGE],
  (object, now) => [
    object.metadata.name,
    object.spec?.validations?.length ?? 0,
    paramKind(object.spec?.paramKind),
    age(object, now),
  ],
);

export const mutatingPolicyPrinter = printer<MutatingAdmissionPolicy>(
  [NAME, int('Mutations', 'Changes the policy makes'), PARAM_KIND, AGE],
  (object, now) => [
    object.metadata.name,
    object.spec?.mutations?.length ?? 0,
    paramKind(object.spec?.paramKind),
    age(object, now),
  ],
);

function paramRef(reference: ParamRef | undefined): string {
  if (reference?.name) return `${reference.namespace || '*'}/${reference.name}`;
  return reference?.selector ? selectorCell(reference.selector) : UNSET;
}

export const policyBindingPrinter = printer<ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding>(
  [NAME, text('PolicyName', 'Policy that is bound'), text('ParamRef', 'Object that parameterizes the policy'), AGE],
  (object, now) => [
    object.metadata.name,
    object.spec?.policyName ?? '',
    paramRef(object.spec?.paramRef),
    age(object, now),
  ],
);
