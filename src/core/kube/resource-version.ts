/** resourceVersions: decimal text outside, plain numbers inside. Empty and "0" mean "any". */
import { parseUint64 } from './go-text.ts';
import { forbidden, invalid, notSupported, type FieldError } from './field-errors.ts';
import { invalidObject, type GroupResource, type StatusError } from './status-error.ts';

export type ParsedResourceVersion =
  | { readonly ok: true; readonly revision: number }
  | { readonly ok: false; readonly error: FieldError };

/** Reads a resourceVersion. A number beyond 2^53 is rounded to one that is greater than any revision there is. */
export function parseResourceVersion(text: string): ParsedResourceVersion {
  if (text === '' || text === '0') return { ok: true, revision: 0 };
  const parsed = parseUint64(text);
  return parsed.ok
    ? { ok: true, revision: Number(parsed.value) }
    : { ok: false, error: invalid('resourceVersion', text, parsed.error) };
}

/** The error for a resourceVersion that is no number. Upstream puts the resource where the kind usually stands. */
export const invalidResourceVersion = (what: GroupResource, error: FieldError): StatusError =>
  invalidObject({ group: what.group, kind: what.resource }, '', [error]);

export const formatResourceVersion = (revision: number): string => revision.toString();

/** A live resourceVersion: digits without a leading zero. */
function isWellFormedResourceVersion(text: string): boolean {
  if (text === '' || text.charCodeAt(0) === 0x30) return false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

/**
 * Order of two live resourceVersions of one server; those of two servers say nothing together. `undefined` when either is none:
 * then only equality may be asked. Never through a number: versions may outgrow 2^53.
 */
export function compareResourceVersions(a: string, b: string): -1 | 0 | 1 | undefined {
  if (a === b) return 0;
  if (!isWellFormedResourceVersion(a) || !isWellFormedResourceVersion(b)) return undefined;
  if (a.length !== b.length) return a.length < b.length ? -1 : 1;
  return a < b ? -1 : 1;
}

interface Versioned {
  readonly metadata: { readonly uid: string; readonly resourceVersion: string };
}

/** The newer of two states of one object; of two objects with one name, the first. */
export function newer<T extends Versioned>(a: T, b: T | undefined): T {
  if (b === undefined || a === b || b.metadata.uid !== a.metadata.uid) return a;
  return (compareResourceVersions(a.metadata.resourceVersion, b.metadata.resourceVersion) ?? 0) >= 0 ? a : b;
}

export interface VersionedListOptions {
  readonly watch?: boolean;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  readonly continue?: string;
  readonly sendInitialEvents?: boolean;
}

const MATCH = 'resourceVersionMatch';

/** Which options of a list or watch go together. The server answers 422 for `ListOptions.meta.k8s.io`. */
export function validateListOptions(options: VersionedListOptions): readonly FieldError[] {
  const { resourceVersionMatch: match = '', resourceVersion = '', sendInitialEvents } = options;
  const errors: FieldError[] = [];
  const continued = forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided');
  const continues = (options.continue ?? '') !== '';
  if (options.watch === true) {
    if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
      errors.push(forbidden(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
    }
    if (match === '') return errors;
    if (sendInitialEvents === undefined) {
      errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
    }
    if (match !== 'NotOlderThan') errors.push(notSupported(MATCH, match, ['NotOlderThan']));
    if (continues) errors.push(continued);
    return errors;
  }
  if (match !== '') {
    if (resourceVersion === '') {
      errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (continues) errors.push(continued);
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(notSupported(MATCH, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && resourceVersion === '0') {
      errors.push(forbidden(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (sendInitialEvents !== undefined) {
    errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return errors;
}
