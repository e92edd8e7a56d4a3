/** Answers without what two servers cannot have in common: identities, versions, moments, what was given out by chance. */
import { encodeGoJson, encodeJson, parseJson, type Json } from '../../../src/core/kube/json.ts';
import type { Answer } from './api-servers.ts';
import type { Members } from './api-values.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const FIXED_UUID = 'b9f7d6f2-54d1-4ac4-9a0e-4f2b1b9d7a11';
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
/** What is as near as this to now was written by a server. */
const NEAR_MS = 86_400_000;

export interface Around {
  readonly now: number;
  /** Names begin so that were completed by a server. */
  readonly generated: string;
}

export function normalAnswer({ body, code, warnings }: Answer, around: Around): Json {
  // Go walks maps in any order, so what is found in them comes in any order too.
  return {
    code,
    warnings: warnings.map((text) => normalText(text, around)).toSorted(),
    body: withSortedFindings(normalised(body, '', around)),
  };
}

/** The findings of a Status in one order; its message, which is made of them, says who it is about. */
function withSortedFindings(body: Json): Json {
  const { details, kind, message } = (membersOf(body) ?? {}) as { details?: Members; kind?: Json; message?: Json };
  const causes = details?.['causes'];
  if (kind !== 'Status' || !Array.isArray(causes) || new Set((causes as readonly Json[]).map(encodeJson)).size < 2)
    return body;
  const sorted = (causes as readonly Json[]).toSorted((a, b) => (encodeJson(a) < encodeJson(b) ? -1 : 1));
  return {
    ...(body as Members),
    details: { ...details, causes: sorted },
    message: (typeof message === 'string' ? message : '').replace(/ is invalid: .*$/s, ' is invalid: …'),
  };
}

function normalText(text: string, { generated, now }: Around): string {
  let result = text
    .replace(UUID, (found) => (found === FIXED_UUID ? found : '<uid>'))
    .replace(TIME, (found, fraction?: string) =>
      Math.abs(Date.parse(found) - now) < NEAR_MS ? `<now${'*'.repeat(fraction?.length ?? 0)}>` : found,
    )
    .replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<any>')
    .replace(/(resourceVersion\\*":\\*")\d+/g, '$1<version>')
    .replace(/(ResourceVersion in record )\(\d+\)/g, '$1<version>')
    .replace(/(ResourceVersion in (?:the )?precondition:? )\(?\d+\)?/g, '$1<version>')
    .replace(/(ResourceVersion in object meta: )\d+/g, '$1<version>')
    .replace(/(Duplicate value: )3[0-2]\d{3}$/, '$1<port>')
    .replace(/(\d+):3[0-2]\d{3}\/(TCP|UDP|SCTP)/g, '$1:<port>/$2')
    .replace(/10\.96\.\d+\.\d+/g, '<ip>');
  if (generated !== '')
    result = result.replaceAll(
      new RegExp(`${generated}-[bcdfghjklmnpqrstvwxz2456789]{5}\\b`, 'g'),
      `${generated}-<any>`,
    );
  return withSortedValues(result);
}

const VERSIONS = /^(resourceVersion|resourceVersionMatch)$/;
const PORTS = /^(nodePort|healthCheckNodePort)$/;

function normalised(value: Json | undefined, key: string, around: Around): Json {
  if (typeof value === 'string') {
    if (VERSIONS.test(key) && /^[1-9]\d*$/.test(value)) return '<version>';
    if (key === 'continue' && value !== '') return '<continue>';
    if (key === 'token' && value.startsWith('ey')) return '<token>';
    return normalText(value, around);
  }
  if (typeof value === 'number' && PORTS.test(key) && value >= 30_000 && value < 33_500) return '<port>';
  if (Array.isArray(value)) {
    // Owners come in the order of their times, of which two may be the same second or not.
    if (key === 'managedFields')
      return (value as readonly Json[])
        .map((entry) => normalised(entry, '', around))
        .toSorted((a, b) => (ownerName(a) < ownerName(b) ? -1 : 1));
    // Cells of a table tell ages.
    if (key === 'cells')
      return (value as readonly Json[]).map((cell) =>
        typeof cell === 'string' && /^\d+s$/.test(cell) ? '<age>' : normalised(cell, '', around),
      );
    return (value as readonly Json[]).map((item) => normalised(item, '', around));
  }
  if (typeof value !== 'object' || value === null) return value ?? null;
  const result: Members = {};
  for (const [name, member] of Object.entries(value)) {
    Object.defineProperty(result, normalText(name, around), {
      value: normalised(member, name, around),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return result;
}

const ownerName = (entry: Json): string => {
  const { apiVersion, manager, operation, subresource } = membersOf(entry) ?? {};
  return encodeJson([manager ?? '', operation ?? '', subresource ?? '', apiVersion ?? '']);
};

/** Values that a message quotes, their members in one order: Go has that of its structs, or sorts a map. */
const QUOTED = /((?:Invalid|Unsupported|Duplicate) value: )(\{.*\}|\[.*\])(?=: |$)/gs;
const withSortedValues = (text: string): string =>
  text.includes(' value: {') || text.includes(' value: [')
    ? text.replace(QUOTED, (whole, before: string, value: string) => {
        try {
          return before + encodeGoJson(parseJson(value), { sortKeys: true });
        } catch {
          return whole;
        }
      })
    : text;

export interface Difference {
  /** `body.spec.replicas` */
  readonly path: string;
  readonly real: Json | undefined;
  readonly ours: Json | undefined;
}

export function differencesOf(
  real: Json | undefined,
  ours: Json | undefined,
  path = '',
  found: Difference[] = [],
): readonly Difference[] {
  if (Object.is(real, ours)) return found;
  const [left, right] = [membersOf(real), membersOf(ours)];
  if (left === undefined || right === undefined || Array.isArray(real) !== Array.isArray(ours)) {
    if (!(real === 0 && ours === 0)) found.push({ path, real, ours });
    return found;
  }
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)]))
    differencesOf(left[key], right[key], path === '' ? key : `${path}.${key}`, found);
  return found;
}

const membersOf = (value: Json | undefined): Members | undefined =>
  typeof value === 'object' && value !== null ? (value as Members) : undefined;
