/** Which combinations of list and watch options make sense; the rest is a 422 about ListOptions, as in Kubernetes. */
import { type FieldError, forbidden, notSupported } from '../../../core/kube/field-errors.ts';
import { invalidObject } from '../../../core/kube/status-error.ts';

export interface VersionOptions {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  readonly continue?: string;
  readonly sendInitialEvents?: boolean;
}

const MATCH = 'resourceVersionMatch';
const LIST_OPTIONS = { group: 'meta.k8s.io', kind: 'ListOptions' };

export function checkListOptions(options: VersionOptions): void {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch ?? '';
  const version = options.resourceVersion ?? '';
  if (match !== '') {
    if (version === '') {
      errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (options.continue) errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(notSupported(MATCH, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && version === '0') {
      errors.push(forbidden(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  if (errors.length > 0) throw invalidObject(LIST_OPTIONS, '', errors);
}

export function checkWatchOptions(options: VersionOptions): void {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch ?? '';
  if (options.sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(forbidden(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match !== '') {
    if (options.sendInitialEvents === undefined) {
      errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
    }
    if (match !== 'NotOlderThan') errors.push(notSupported(MATCH, match, ['NotOlderThan']));
    if (options.continue) errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
  }
  if (errors.length > 0) throw invalidObject(LIST_OPTIONS, '', errors);
}
