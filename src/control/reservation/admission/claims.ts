/**
 * Admission of pods that claim Tickets. `claim` refuses claims that cannot be read, and changes of a claim: a pod that was judged for
 * one Ticket must not come to mean another. `claim-scheduler` gives claimants to the claim scheduler, on clusters with a kube-scheduler;
 * nothing else is written, so that a dry run, or a pod that a later plugin refuses, leaves nothing behind.
 */
import { claimsAlike, isClaimant, readClaim } from '../../../core/api/kinds/reservation/claim-request.ts';
import { CLAIM_ANNOTATIONS, CLAIM_SCHEDULER } from '../../../core/api/names.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import { type FieldError, field, forbidden } from '../../../core/kube/field-errors.ts';
import { labelOf } from '../../../core/kube/labels.ts';
import { invalidObject } from '../../../core/kube/status-error.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../../machinery/ports/admission.ts';

/** Names of the plugins, and with them the paths of their webhooks. */
export const CLAIM_ADMISSION = 'claim';
export const CLAIM_SCHEDULER_ADMISSION = 'claim-scheduler';

const DEFAULT_SCHEDULER = 'default-scheduler';
const ALLOWED: AdmissionResponse = { allowed: true };
const POD = { group: '', kind: 'Pod' };

type Handled = Parameters<AdmissionPlugin['handles']>[0];

const isOfPods = ({ resource, subresource }: Handled): boolean =>
  resource.group === '' && resource.resource === 'pods' && subresource === '';

export const createClaimAdmission = (): AdmissionPlugin => ({
  name: CLAIM_ADMISSION,
  handles: (request) => isOfPods(request) && (request.operation === 'CREATE' || request.operation === 'UPDATE'),
  validate,
});

function validate({ object, oldObject, namespace, name }: AdmissionRequest): AdmissionResponse {
  const pod = object as Pod | undefined;
  const before = oldObject as Pod | undefined;
  if (pod === undefined) return ALLOWED;
  const findings = before === undefined ? findingsOf(pod, namespace) : changesOf(pod, before);
  return findings.length === 0
    ? ALLOWED
    : { allowed: false, error: invalidObject(POD, pod.metadata.name || name, findings) };
}

function findingsOf(pod: Pod, namespace: string): readonly FieldError[] {
  const read = readClaim(pod.metadata, namespace);
  if (read.type === 'unreadable') return read.findings;
  const { schedulerName = DEFAULT_SCHEDULER } = pod.spec;
  if (read.type === 'none' || schedulerName === DEFAULT_SCHEDULER || schedulerName === CLAIM_SCHEDULER) return [];
  return [
    forbidden(
      'spec.schedulerName',
      `scheduler ${schedulerName} knows no Tickets: leave the field out of a pod that claims one`,
    ),
  ];
}

function changesOf(pod: Pod, before: Pod): readonly FieldError[] {
  if (pod.metadata.annotations === before.metadata.annotations || claimsAlike(pod.metadata, before.metadata)) return [];
  return Object.values(CLAIM_ANNOTATIONS)
    .filter((key) => labelOf(pod.metadata.annotations, key) !== labelOf(before.metadata.annotations, key))
    .map((key) =>
      forbidden(
        field.key('metadata.annotations', key),
        'may not change: delete the pod and create it with the other claim',
      ),
    );
}

export const createClaimSchedulerAdmission = (): AdmissionPlugin => ({
  name: CLAIM_SCHEDULER_ADMISSION,
  handles: (request) => isOfPods(request) && request.operation === 'CREATE',
  mutate,
});

function mutate({ object }: AdmissionRequest): AdmissionResponse {
  const pod = object as Pod | undefined;
  if (pod === undefined || !isClaimant(pod.metadata)) return ALLOWED;
  const { schedulerName = DEFAULT_SCHEDULER, nodeName = '' } = pod.spec;
  if (schedulerName !== DEFAULT_SCHEDULER || nodeName !== '') return ALLOWED;
  return { allowed: true, object: { ...pod, spec: { ...pod.spec, schedulerName: CLAIM_SCHEDULER } } as Pod };
}
