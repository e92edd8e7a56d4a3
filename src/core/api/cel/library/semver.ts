/** Semantic versions, in the words of the library Kubernetes uses. */
import type { Fn, FunctionTable } from '../values/function-table.ts';
import { SEMVER_TYPE, type Comparable } from '../values/opaque.ts';
import { CelError, CelOpaque, type CelValue, type Val } from '../values/values.ts';

interface Version extends Comparable {
  readonly numbers: readonly bigint[];
  /** Identifiers of a pre-release; numbers among them are bigints. */
  readonly pre: readonly (string | bigint)[];
}

const MAX_UINT64 = 18446744073709551615n;
const DIGITS = /^[0-9]+$/;
const IDENTIFIER = /^[0-9A-Za-z-]+$/;
const NAMES = ['Major', 'Minor', 'Patch'] as const;

type Parsed = Version | string;

const isParsed = (parsed: Parsed): parsed is Version => typeof parsed === 'object';

function parseNumber(name: string, text: string): bigint | string {
  if (!DIGITS.test(text)) return `Invalid character(s) found in ${name.toLowerCase()} number ${JSON.stringify(text)}`;
  if (text.length > 1 && text.startsWith('0')) {
    return `${name} number must not contain leading zeroes ${JSON.stringify(text)}`;
  }
  const value = text.length > 20 ? MAX_UINT64 + 1n : BigInt(text);
  return value > MAX_UINT64 ? `strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range` : value;
}

/** A version, or the error of the text. */
export function parseVersion(text: string): Parsed {
  if (text === '') return 'Version string empty';
  const parts = text.split('.');
  if (parts.length < 3) return 'No Major.Minor.Patch elements found';
  const [major = '', minor = '', ...rest] = parts;
  const last = rest.join('.');
  const plus = last.indexOf('+');
  const build = plus < 0 ? [] : last.slice(plus + 1).split('.');
  const withoutBuild = plus < 0 ? last : last.slice(0, plus);
  const dash = withoutBuild.indexOf('-');
  const pre = dash < 0 ? [] : withoutBuild.slice(dash + 1).split('.');
  const patch = dash < 0 ? withoutBuild : withoutBuild.slice(0, dash);
  const numbers: bigint[] = [];
  for (const [index, part] of [major, minor, patch].entries()) {
    const number = parseNumber(NAMES[index] ?? '', part);
    if (typeof number === 'string') return number;
    numbers.push(number);
  }
  const identifiers: (string | bigint)[] = [];
  for (const part of pre) {
    const identifier = parseIdentifier(part);
    if ('problem' in identifier) return identifier.problem;
    identifiers.push(identifier.value);
  }
  for (const part of build) {
    if (part === '') return 'Build meta data is empty';
    if (!IDENTIFIER.test(part)) return `Invalid character(s) found in build meta data ${JSON.stringify(part)}`;
  }
  return {
    numbers,
    pre: identifiers,
    identity: JSON.stringify([numbers.map(String), identifiers.map((i) => `${typeof i}${i}`)]),
  };
}

function parseIdentifier(part: string): { readonly value: string | bigint } | { readonly problem: string } {
  if (part === '') return { problem: 'Prerelease is empty' };
  if (DIGITS.test(part)) {
    if (part.length > 1 && part.startsWith('0')) {
      return { problem: `Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(part)}` };
    }
    const value = part.length > 20 ? MAX_UINT64 + 1n : BigInt(part);
    if (value <= MAX_UINT64) return { value };
    return { problem: `strconv.ParseUint: parsing ${JSON.stringify(part)}: value out of range` };
  }
  return IDENTIFIER.test(part)
    ? { value: part }
    : { problem: `Invalid character(s) found in prerelease ${JSON.stringify(part)}` };
}

/** `v1.2` is 1.2.0; leading zeros go. */
function normalized(text: string): Parsed {
  const plain = text.startsWith('v') ? text.slice(1) : text;
  const [first = '', second, ...rest] = plain.split('.');
  const parts = [first, ...(second === undefined ? [] : [second]), ...(rest.length === 0 ? [] : [rest.join('.')])].map(
    (part) => {
      if (part.length <= 1) return part;
      const trimmed = part.replace(/^0+/, '');
      return /^[0-9]/.test(trimmed) ? trimmed : `0${trimmed}`;
    },
  );
  if (parts.length < 3 && /[+-]/.test(parts[parts.length - 1] ?? '')) {
    return 'short version cannot contain PreRelease/Build meta data';
  }
  while (parts.length < 3) parts.push('0');
  return parseVersion(parts.join('.'));
}

const read = (text: CelValue, normalize: boolean): Parsed =>
  normalize ? normalized(text as string) : parseVersion(text as string);

function toSemver(text: CelValue, normalize: boolean): Val {
  const parsed = read(text, normalize);
  return isParsed(parsed) ? new CelOpaque(SEMVER_TYPE, parsed) : new CelError(parsed);
}

const of = (value: CelValue): Version => (value as CelOpaque).payload as Version;
const order = (a: bigint | string | number, b: bigint | string | number): number => (a < b ? -1 : a > b ? 1 : 0);

function compareIdentifiers(a: string | bigint, b: string | bigint): number {
  if (typeof a === typeof b) return order(a, b);
  return typeof a === 'bigint' ? -1 : 1;
}

export function compareVersions(a: Version, b: Version): number {
  for (let i = 0; i < 3; i++) {
    const difference = order(a.numbers[i] ?? 0n, b.numbers[i] ?? 0n);
    if (difference !== 0) return difference;
  }
  // A release comes after its pre-releases.
  if (a.pre.length === 0 || b.pre.length === 0) return order(b.pre.length === 0 ? 0 : 1, a.pre.length === 0 ? 0 : 1);
  for (let i = 0; i < Math.min(a.pre.length, b.pre.length); i++) {
    const difference = compareIdentifiers(a.pre[i] ?? '', b.pre[i] ?? '');
    if (difference !== 0) return difference;
  }
  return order(a.pre.length, b.pre.length);
}

const compared =
  (test: (difference: number) => Val): Fn =>
  (a, b) =>
    test(compareVersions(of(a), of(b)));

const number =
  (index: number): Fn =>
  (version) =>
    BigInt.asIntN(64, of(version).numbers[index] ?? 0n);

export const SEMVER_FUNCTIONS: FunctionTable = [
  ['string_to_semver', (text) => toSemver(text, false)],
  ['string_bool_to_semver', (text, normalize) => toSemver(text, normalize === true)],
  ['is_semver_string', (text) => isParsed(read(text, false))],
  ['is_semver_string_bool', (text, normalize) => isParsed(read(text, normalize === true))],
  ['semver_is_greater_than', compared((difference) => difference > 0)],
  ['semver_is_less_than', compared((difference) => difference < 0)],
  ['semver_compare_to', compared((difference) => BigInt(difference))],
  ['semver_major', number(0)],
  ['semver_minor', number(1)],
  ['semver_patch', number(2)],
];
