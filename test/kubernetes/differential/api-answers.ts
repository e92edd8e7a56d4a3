/** What is read from answers to see whether their difference is a known one. */
import { encodeGoJson, encodeJson, type Json } from '../../../src/core/kube/json.ts';

export const causesOf = (
  answer: Json,
  shown: (message: string) => string = (message) => message,
): ReadonlySet<string> => {
  const causes = (answer as { readonly body?: { readonly details?: { readonly causes?: readonly Json[] } } }).body
    ?.details?.causes;
  return new Set(
    (causes ?? []).map((cause) => {
      const { field, message, reason } = cause as {
        readonly field?: Json;
        readonly message?: Json;
        readonly reason?: Json;
      };
      return encodeJson([reason ?? '', field ?? '', shown(textOf(message))]);
    }),
  );
};

/** ` "" is invalid: patch: Invalid value: "{…}": what is wrong` */
export const isOfPatch = (message: Json | undefined): boolean =>
  /^( "" is invalid: patch: )?Invalid value: "(map\[|\{)/.test(textOf(message));

/** `Invalid value: {…}: what is wrong` without the value. */
export const withoutQuoted = (text: string): string =>
  text.replace(/(value: )(?:null|\{.*\}|\[.*\])(?=: |$)/s, '$1…').replace(/\n@@.*$/s, '');

const MOST_INT32 = 2 ** 31 - 1;
/** Whether a whole number is somewhere in it that not every integer field can hold. */
export const isBeyondIntegers = (value: Json | undefined): boolean => {
  if (typeof value === 'bigint') return true;
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) > MOST_INT32;
  return typeof value === 'object' && value !== null && Object.values(value).some(isBeyondIntegers);
};

interface Told {
  readonly code?: number;
  readonly body?: { readonly message?: Json };
}
export const codeOf = (answer: Json): number | undefined => (answer as Told).code;
export const messageOf = (answer: Json): string => textOf((answer as Told).body?.message);

/** Who owns which fields of the object at the path, whatever number of entries tells it, and since when. */
export function ownershipAt(answer: Json, path: string): ReadonlyMap<string, ReadonlySet<string>> {
  let at: Json | undefined = answer;
  for (const step of path.slice(0, path.indexOf('managedFields') + 'managedFields'.length).split('.'))
    at = (at as { readonly [key: string]: Json } | undefined)?.[step];
  const owners = new Map<string, Set<string>>();
  for (const entry of (at ?? []) as readonly { readonly [key: string]: Json }[]) {
    const { fieldsV1, time: _, ...owner } = entry;
    const name = encodeGoJson(owner, { sortKeys: true });
    const fields = owners.get(name) ?? new Set();
    addFields(fields, fieldsV1 ?? {}, '');
    owners.set(name, fields);
  }
  return owners;
}

function addFields(fields: Set<string>, value: Json, path: string): void {
  const members = Object.entries(value as { readonly [key: string]: Json });
  if (members.length === 0) fields.add(path);
  for (const [name, member] of members) addFields(fields, member, `${path}/${name}`);
}

export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
