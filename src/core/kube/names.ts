/**
 * Names as Kubernetes checks them. A `…Problems` function answers with upstream's messages, or with the one shared empty list when the value is fine.
 * The scanners are written by hand: linear time, no allocation for a good name.
 */
import { flatText } from './flat-text.ts';
import { exceedsBytes } from './go-text.ts';

export type Problems = readonly string[];
export const NO_PROBLEMS: Problems = Object.freeze([]);

const DNS1123_LABEL_MAX_LENGTH = 63;
export const DNS1123_SUBDOMAIN_MAX_LENGTH = 253;
const DNS1035_LABEL_MAX_LENGTH = 63;
const LABEL_VALUE_MAX_LENGTH = 63;

/** Upstream has two generations of these messages: older checks count "characters", label checks "bytes". */
export const maxLengthProblem = (length: number): string => `must be no more than ${length} characters`;
const maxBytesProblem = (length: number): string => `must be no more than ${length} bytes`;

export const rangeProblem = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`;

export function patternProblem(message: string, pattern: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${pattern}')`;
  const list = examples.map((example) => `'${example}', `).join(' or ');
  return `${message} (e.g. ${list}regex used for validation is '${pattern}')`;
}

const LABEL_1123 = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN_1123 = `${LABEL_1123}(\\.${LABEL_1123})*`;
const LABEL_KEY = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const LABEL_1123_PROBLEM = patternProblem(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  LABEL_1123,
  'my-name',
  '123-abc',
);
const SUBDOMAIN_1123_PROBLEM = patternProblem(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN_1123,
  'example.com',
);
const SUBDOMAIN_CASELESS_PROBLEM = patternProblem(
  "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN_1123,
  'Example.com',
);
const LABEL_1035_PROBLEM = patternProblem(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  '[a-z]([-a-z0-9]*[a-z0-9])?',
  'my-name',
  'abc-123',
);
const WILDCARD_PROBLEM = patternProblem(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  `\\*\\.${SUBDOMAIN_1123}`,
  '*.example.com',
);
const LABEL_KEY_PROBLEM = patternProblem(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_KEY,
  'MyName',
  'my.name',
  '123-abc',
);
const LABEL_VALUE_PROBLEM = patternProblem(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  `(${LABEL_KEY})?`,
  'MyValue',
  'my_value',
  '12345',
);

const DASH = 0x2d;
const DOT = 0x2e;
const UNDERSCORE = 0x5f;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isLower = (code: number): boolean => code >= 0x61 && code <= 0x7a;
const isUpper = (code: number): boolean => code >= 0x41 && code <= 0x5a;
const isLowerAlnum = (code: number): boolean => isLower(code) || isDigit(code);
const isAlnum = (code: number): boolean => isLowerAlnum(code) || isUpper(code);

/** The pattern of a DNS-1123 label, without its length. */
function isDns1123LabelPattern(value: string): boolean {
  return value.length > 0 && scanLabel(value, 0, value.length);
}

function scanLabel(value: string, start: number, end: number): boolean {
  if (!isLowerAlnum(value.charCodeAt(start)) || !isLowerAlnum(value.charCodeAt(end - 1))) return false;
  for (let i = start + 1; i < end - 1; i++) {
    const code = value.charCodeAt(i);
    if (!isLowerAlnum(code) && code !== DASH) return false;
  }
  return true;
}

/** Labels joined by dots; `caseless` also admits upper case letters. */
function scanSubdomain(value: string, start: number, caseless: boolean): boolean {
  let afterAlnum = false;
  for (let i = start; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (isLowerAlnum(code) || (caseless && isUpper(code))) {
      afterAlnum = true;
    } else if (code === DOT) {
      if (!afterAlnum) return false;
      afterAlnum = false;
    } else if (code === DASH) {
      // A dash may not open a label; one that closes a label is caught by the dot or the end that follows it.
      if (i === start || value.charCodeAt(i - 1) === DOT) return false;
      afterAlnum = false;
    } else {
      return false;
    }
  }
  return afterAlnum;
}

/** Letters, digits, '-', '_' and '.', with an alphanumeric at both ends. */
function scanLabelKeyName(value: string, start: number): boolean {
  const end = value.length;
  if (start >= end || !isAlnum(value.charCodeAt(start)) || !isAlnum(value.charCodeAt(end - 1))) return false;
  for (let i = start + 1; i < end - 1; i++) {
    const code = value.charCodeAt(i);
    if (!isAlnum(code) && code !== DASH && code !== UNDERSCORE && code !== DOT) return false;
  }
  return true;
}

export function dns1123LabelProblems(value: string): Problems {
  const fits = !exceedsBytes(value, DNS1123_LABEL_MAX_LENGTH);
  if (isDns1123LabelPattern(value)) return fits ? NO_PROBLEMS : [maxLengthProblem(DNS1123_LABEL_MAX_LENGTH)];
  const problem = scanSubdomain(value, 0, false) ? 'must not contain dots' : LABEL_1123_PROBLEM;
  return fits ? [problem] : [maxLengthProblem(DNS1123_LABEL_MAX_LENGTH), problem];
}

function limited(value: string, limit: number, matches: boolean, tooLong: string, problem: string): Problems {
  const fits = !exceedsBytes(value, limit);
  if (fits) return matches ? NO_PROBLEMS : [problem];
  return matches ? [tooLong] : [tooLong, problem];
}

export const dns1123SubdomainProblems = (value: string): Problems =>
  limited(
    value,
    DNS1123_SUBDOMAIN_MAX_LENGTH,
    scanSubdomain(value, 0, false),
    maxLengthProblem(DNS1123_SUBDOMAIN_MAX_LENGTH),
    SUBDOMAIN_1123_PROBLEM,
  );

/** Names of CSI and DRA drivers: a subdomain in which upper case letters are tolerated. */
export const dns1123SubdomainCaselessProblems = (value: string): Problems =>
  limited(
    value,
    DNS1123_SUBDOMAIN_MAX_LENGTH,
    scanSubdomain(value, 0, true),
    maxBytesProblem(DNS1123_SUBDOMAIN_MAX_LENGTH),
    SUBDOMAIN_CASELESS_PROBLEM,
  );

export const dns1035LabelProblems = (value: string): Problems =>
  limited(
    value,
    DNS1035_LABEL_MAX_LENGTH,
    isDns1123LabelPattern(value) && isLower(value.charCodeAt(0)),
    maxLengthProblem(DNS1035_LABEL_MAX_LENGTH),
    LABEL_1035_PROBLEM,
  );

export const wildcardDns1123SubdomainProblems = (value: string): Problems =>
  limited(
    value,
    DNS1123_SUBDOMAIN_MAX_LENGTH,
    value.startsWith('*.') && scanSubdomain(value, 2, false),
    maxLengthProblem(DNS1123_SUBDOMAIN_MAX_LENGTH),
    WILDCARD_PROBLEM,
  );

/** A label key, also called a qualified name: an optional DNS subdomain and '/', then a name of at most 63 bytes. */
export function qualifiedNameProblems(value: string): Problems {
  const slash = value.indexOf('/');
  if (slash !== -1 && value.indexOf('/', slash + 1) !== -1) {
    return [
      `a valid label key ${LABEL_KEY_PROBLEM} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  let problems: string[] | undefined;
  if (slash === 0) problems = ['prefix part must be non-empty'];
  else if (slash > 0) {
    const found = labelPrefixProblems(value.slice(0, slash));
    if (found.length > 0) problems = found.map((problem) => `prefix part ${problem}`);
  }
  const name = slash === -1 ? value : value.slice(slash + 1);
  if (name === '') (problems ??= []).push('name part must be non-empty');
  else if (exceedsBytes(name, 63)) (problems ??= []).push(`name part ${maxBytesProblem(63)}`);
  if (!scanLabelKeyName(name, 0)) (problems ??= []).push(`name part ${LABEL_KEY_PROBLEM}`);
  return problems ?? NO_PROBLEMS;
}

const labelPrefixProblems = (prefix: string): Problems =>
  limited(
    prefix,
    DNS1123_SUBDOMAIN_MAX_LENGTH,
    scanSubdomain(prefix, 0, false),
    maxBytesProblem(DNS1123_SUBDOMAIN_MAX_LENGTH),
    SUBDOMAIN_1123_PROBLEM,
  );

export const labelValueProblems = (value: string): Problems =>
  limited(
    value,
    LABEL_VALUE_MAX_LENGTH,
    value === '' || scanLabelKeyName(value, 0),
    maxBytesProblem(LABEL_VALUE_MAX_LENGTH),
    LABEL_VALUE_PROBLEM,
  );

/** A name that will stand between the slashes of a path; the loosest rule, used by RBAC and custom kinds' owners. */
export function pathSegmentNameProblems(name: string): Problems {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return pathSegmentPrefixProblems(name);
}

/**
 * Like `pathSegmentNameProblems`, for a prefix to which a suffix will be appended, so '.' alone may yet become valid.
 */
export function pathSegmentPrefixProblems(name: string): Problems {
  const slash = name.includes('/');
  const percent = name.includes('%');
  if (!slash && !percent) return NO_PROBLEMS;
  const problems: string[] = [];
  if (slash) problems.push("may not contain '/'");
  if (percent) problems.push("may not contain '%'");
  return problems;
}

/** Checks a name, or with `prefix` a generateName to which a suffix will be appended. */
export type NameRule = (name: string, prefix: boolean) => Problems;

/** A trailing dash is fine in a prefix. Upstream replaces the last *two* characters; only the length shows it. */
const maskTrailingDash = (name: string): string =>
  name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;

export const nameIsDnsSubdomain: NameRule = (name, prefix) =>
  dns1123SubdomainProblems(prefix ? maskTrailingDash(name) : name);
export const nameIsDnsLabel: NameRule = (name, prefix) => dns1123LabelProblems(prefix ? maskTrailingDash(name) : name);
export const nameIsDns1035Label: NameRule = (name, prefix) =>
  dns1035LabelProblems(prefix ? maskTrailingDash(name) : name);
export const nameIsPathSegment: NameRule = (name, prefix) =>
  prefix ? pathSegmentPrefixProblems(name) : pathSegmentNameProblems(name);

const GENERATED_SUFFIX_LENGTH = 5;
const GENERATED_BASE_MAX_LENGTH = 63 - GENERATED_SUFFIX_LENGTH;

/** The name for a generateName: the base, cut so that the whole stays a DNS label, and five characters of chance. */
export function generateName(base: string, suffix: (length: number) => string): string {
  const kept = base.length > GENERATED_BASE_MAX_LENGTH ? base.slice(0, GENERATED_BASE_MAX_LENGTH) : base;
  return flatText(kept + suffix(GENERATED_SUFFIX_LENGTH));
}
