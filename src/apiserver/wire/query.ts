/** The query string of a resource request, as options. Values that make no sense are refused in Kubernetes' words. */
import { validateFieldManager } from '../../core/api/rules/managed-fields.ts';
import { type FieldError, notSupported, required } from '../../core/kube/field-errors.ts';
import { readGoDuration } from '../../core/kube/go-duration.ts';
import { badRequest, invalidObject, StatusError } from '../../core/kube/status-error.ts';
import type { DeleteOptions, ListOptions, WatchOptions, WriteOptions } from '../../machinery/client/client.ts';

type InitialEvents = Pick<WatchOptions, 'sendInitialEvents'>;

/** A list takes no `sendInitialEvents`; the option is passed on so that the handler can refuse it. */
export function listOptions(query: URLSearchParams): ListOptions & InitialEvents {
  const limit = integer(query, 'limit');
  // Of use to watches alone, but checked here too, as in Kubernetes.
  integer(query, 'timeoutSeconds');
  const match = query.get('resourceVersionMatch');
  if (match !== null && match !== '' && match !== 'Exact' && match !== 'NotOlderThan') {
    throw invalidOption(
      'ListOptions',
      'resourceVersionMatch',
      `Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan", ""`,
    );
  }
  return {
    ...text(query, 'labelSelector'),
    ...text(query, 'fieldSelector'),
    ...(limit === undefined ? {} : { limit }),
    ...text(query, 'continue'),
    ...text(query, 'resourceVersion'),
    ...(match === null || match === '' ? {} : { resourceVersionMatch: match }),
    ...(query.has('sendInitialEvents') ? { sendInitialEvents: flag(query, 'sendInitialEvents') } : {}),
  };
}

export function watchOptions(query: URLSearchParams): WatchOptions & Pick<ListOptions, 'resourceVersionMatch'> {
  const { limit: _limit, continue: _continue, ...shared } = listOptions(query);
  const timeoutSeconds = integer(query, 'timeoutSeconds');
  return {
    ...shared,
    allowWatchBookmarks: flag(query, 'allowWatchBookmarks'),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
  };
}

/** The client's timeout for the answer. Not obeyed, but checked. */
export function checkTimeout(query: URLSearchParams): void {
  const value = query.get('timeout');
  if (value === null || value === '') return;
  const read = readGoDuration(value);
  if (!read.ok) throw badRequest(`invalid timeout specified in the request URL - ${read.error}`);
}

export const isWatch = (query: URLSearchParams): boolean => flag(query, 'watch');

const VALIDATIONS: readonly string[] = ['', 'Ignore', 'Strict', 'Warn'];

/** Apply requires a `fieldManager`. */
export function writeOptions(query: URLSearchParams, optionsKind: string, applies = false): WriteOptions {
  const validation = query.get('fieldValidation') ?? '';
  const runs = query.getAll('dryRun');
  const errors = [
    ...dryRunErrors(runs),
    ...(applies && !query.get('fieldManager') ? [required('fieldManager', 'is required for apply patch')] : []),
    ...validateFieldManager(query.get('fieldManager') ?? '', 'fieldManager'),
    ...(VALIDATIONS.includes(validation) ? [] : [notSupported('fieldValidation', validation, VALIDATIONS)]),
  ];
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: optionsKind }, '', errors);
  return {
    dryRun: runs.length > 0,
    ...text(query, 'fieldManager'),
    ...(validation === '' ? {} : { fieldValidation: validation as NonNullable<WriteOptions['fieldValidation']> }),
  };
}

/** Whether conflicts are to be overridden; undefined where the query has no `force`. */
export const forced = (query: URLSearchParams): boolean | undefined =>
  query.has('force') ? flag(query, 'force') : undefined;

export const forceIsForApply = (): StatusError =>
  invalidOption('PatchOptions', 'force', 'Forbidden: may not be specified for non-apply patch');

/**
 * The wire form of delete options: a DeleteOptions body and the query say the same things; with a body, the query is
 * ignored.
 */
export interface DeleteBody {
  readonly dryRun?: readonly string[];
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

const POLICIES = new Set(['Orphan', 'Background', 'Foreground']);

export function deleteOptions(query: URLSearchParams, body: DeleteBody | undefined): DeleteOptions {
  const grace = body === undefined ? integer(query, 'gracePeriodSeconds') : body.gracePeriodSeconds;
  const asked = query.has('orphanDependents') ? flag(query, 'orphanDependents') : undefined;
  const orphan = body === undefined ? asked : body.orphanDependents;
  const policy = (body === undefined ? query.get('propagationPolicy') : body.propagationPolicy) ?? '';
  if (policy !== '' && !POLICIES.has(policy)) {
    throw invalidOption(
      'DeleteOptions',
      'propagationPolicy',
      `Unsupported value: ${JSON.stringify(policy)}: supported values: "Foreground", "Background", "Orphan", "nil"`,
    );
  }
  if (policy !== '' && orphan !== undefined) {
    throw invalidOption(
      'DeleteOptions',
      'propagationPolicy',
      `Invalid value: ${JSON.stringify(policy)}: orphanDependents and deletionPropagation cannot be both set`,
    );
  }
  const propagation = policy === '' && orphan !== undefined ? (orphan ? 'Orphan' : 'Background') : policy;
  return {
    dryRun: dryRun(body === undefined ? query.getAll('dryRun') : (body.dryRun ?? []), 'DeleteOptions'),
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(propagation === '' ? {} : { propagationPolicy: propagation as 'Orphan' | 'Background' | 'Foreground' }),
    ...(body?.preconditions === undefined ? {} : { preconditions: body.preconditions }),
  };
}

/**
 * A client that sends `dryRun` at all wants nothing changed: an empty or misspelt value must not end in a real write.
 */
const dryRunErrors = (values: readonly string[]): readonly FieldError[] =>
  values.some((value) => value !== 'All') ? [notSupported('dryRun', values, ['All'])] : [];

function dryRun(values: readonly string[], optionsKind: string): boolean {
  const errors = dryRunErrors(values);
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: optionsKind }, '', errors);
  return values.length > 0;
}

function text<K extends string>(query: URLSearchParams, name: K): { readonly [P in K]?: string } {
  const value = query.get(name);
  return (value === null || value === '' ? {} : { [name]: value }) as { readonly [P in K]?: string };
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null || value === '') return undefined;
  if (!/^[-+]?\d+$/.test(value)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
  if (!/^[-+]?0*\d{1,18}$/.test(value)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: value out of range`);
  }
  return Number(value);
}

/** As Kubernetes reads booleans in queries: present means true unless it says false or 0. */
function flag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== 'false' && value !== '0';
}

function invalidOption(kind: string, field: string, message: string): StatusError {
  const reason = message.startsWith('Invalid')
    ? 'FieldValueInvalid'
    : message.startsWith('Forbidden')
      ? 'FieldValueForbidden'
      : 'FieldValueNotSupported';
  return new StatusError(422, 'Invalid', `${kind}.meta.k8s.io "" is invalid: ${field}: ${message}`, {
    group: 'meta.k8s.io',
    kind,
    causes: [{ reason, message, field }],
  });
}
