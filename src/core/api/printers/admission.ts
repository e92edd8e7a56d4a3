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
import { AGE, int, NAME, printer, text, type Column } from './columns.ts';
import { selectorCell, UNSET } from './text.ts';

export const webhookConfigurationPrinter = printer<MutatingWebhookConfiguration | ValidatingWebhookConfiguration>([
  NAME,
  int('Webhooks', 'Webhooks the configuration registers', ({ webhooks }) => webhooks?.length ?? 0),
  AGE,
]);

const paramKind = (kind: ParamKind | undefined): string =>
  kind ? `${kind.apiVersion ?? ''}/${kind.kind ?? ''}` : UNSET;

const PARAM_KIND: Column<ValidatingAdmissionPolicy | MutatingAdmissionPolicy> = text(
  'ParamKind',
  'Kind of the objects that parameterize the policy',
  ({ spec }) => paramKind(spec?.paramKind),
);

export const validatingPolicyPrinter = printer<ValidatingAdmissionPolicy>([
  NAME,
  int('Validations', 'Rules of the policy', ({ spec }) => spec?.validations?.length ?? 0),
  PARAM_KIND,
  AGE,
]);

export const mutatingPolicyPrinter = printer<MutatingAdmissionPolicy>([
  NAME,
  int('Mutations', 'Changes the policy makes', ({ spec }) => spec?.mutations?.length ?? 0),
  PARAM_KIND,
  AGE,
]);

function paramRef(reference: ParamRef | undefined): string {
  if (reference?.name) return `${reference.namespace || '*'}/${reference.name}`;
  return reference?.selector ? selectorCell(reference.selector) : UNSET;
}

export const policyBindingPrinter = printer<ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding>([
  NAME,
  text('PolicyName', 'Policy that is bound', ({ spec }) => spec?.policyName ?? ''),
  text('ParamRef', 'Object that parameterizes the policy', ({ spec }) => paramRef(spec?.paramRef)),
  AGE,
]);
