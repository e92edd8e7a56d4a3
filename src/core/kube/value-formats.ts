/** Small textual formats that appear inside objects: ports, variables, keys of ConfigMaps, headers, percentages. */
import { exceedsBytes } from './go-text.ts';
import {
  DNS1123_SUBDOMAIN_MAX_LENGTH,
  maxLengthProblem,
  NO_PROBLEMS,
  patternProblem,
  rangeProblem,
  type Problems,
} from './names.ts';

const everyCode = (value: string, accepts: (code: number) => boolean): boolean => {
  for (let i = 0; i < value.length; i++) if (!accepts(value.charCodeAt(i))) return false;
  return true;
};
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isLower = (code: number): boolean => code >= 0x61 && code <= 0x7a;
const isLetter = (code: number): boolean => isLower(code | 0x20) && code < 0x7b;
const isAlnum = (code: number): boolean => isDigit(code) || isLetter(code);
const isDash = (code: number): boolean => code === 0x2d;
/** '-', '.' and '_'. */
const isJoint = (code: number): boolean => code === 0x2d || code === 0x2e || code === 0x5f;

const one = (ok: boolean, problem: string): Problems => (ok ? NO_PROBLEMS : [problem]);

export const portNumberProblems = (port: number): Problems => inRangeProblems(port, 1, 65535);

const inRangeProblems = (value: number, low: number, high: number): Problems =>
  one(value >= low && value <= high, rangeProblem(low, high));

/** Unix user and group IDs share one range. */
export const userIdProblems = (id: number): Problems => inRangeProblems(id, 0, 2147483647);

/** An IANA service name, as port names are. */
export function portNameProblems(port: string): Problems {
  const problems: string[] = [];
  if (exceedsBytes(port, 15)) problems.push(maxLengthProblem(15));
  if (port === '' || !everyCode(port, (code) => isLower(code) || isDigit(code) || isDash(code))) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (everyCode(port, (code) => !isLower(code))) problems.push('must contain at least one letter (a-z)');
  if (port.includes('--')) problems.push('must not contain consecutive hyphens');
  if (port.startsWith('-') || port.endsWith('-')) problems.push('must not begin or end with a hyphen');
  return problems.length === 0 ? NO_PROBLEMS : problems;
}

const PERCENT_PROBLEM = patternProblem(
  "a valid percent string must be a numeric string followed by an ending '%'",
  '[0-9]+%',
  '1%',
  '93%',
);
export const percentProblems = (value: string): Problems =>
  one(value.length > 1 && value.endsWith('%') && everyCode(value.slice(0, -1), isDigit), PERCENT_PROBLEM);

const HEADER_PROBLEM = patternProblem(
  "a valid HTTP header must consist of alphanumeric characters or '-'",
  '[-A-Za-z0-9]+',
  'X-Header-Name',
);
export const httpHeaderNameProblems = (value: string): Problems =>
  one(value !== '' && everyCode(value, (code) => isAlnum(code) || isDash(code)), HEADER_PROBLEM);

const C_IDENTIFIER_PROBLEM = patternProblem(
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  '[A-Za-z_][A-Za-z0-9_]*',
  'my_name',
  'MY_NAME',
  'MyName',
);
export const cIdentifierProblems = (value: string): Problems =>
  one(
    value !== '' && !isDigit(value.charCodeAt(0)) && everyCode(value, (code) => isAlnum(code) || code === 0x5f),
    C_IDENTIFIER_PROBLEM,
  );

function chdirProblems(value: string): string | undefined {
  if (value === '.') return "must not be '.'";
  if (value === '..') return "must not be '..'";
  return value.startsWith('..') ? "must not start with '..'" : undefined;
}

const ENV_PROBLEM = patternProblem(
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
  '[-._a-zA-Z][-._a-zA-Z0-9]*',
  'my.env-name',
  'MY_ENV.NAME',
  'MyEnvName1',
);
/** The strict rule; since 1.34 containers are checked by the relaxed one. */
export function envVarNameProblems(value: string): Problems {
  const problems: string[] = [];
  const shaped =
    value !== '' && !isDigit(value.charCodeAt(0)) && everyCode(value, (code) => isAlnum(code) || isJoint(code));
  if (!shaped) problems.push(ENV_PROBLEM);
  const chdir = chdirProblems(value);
  if (chdir !== undefined) problems.push(chdir);
  return problems.length === 0 ? NO_PROBLEMS : problems;
}

export function relaxedEnvVarNameProblems(value: string): Problems {
  if (value === '') return ['environment variable name must be non-empty'];
  return one(
    everyCode(value, (code) => code >= 0x20 && code < 0x7f && code !== 0x3d),
    "a valid environment variable name must consist only of printable ASCII characters other than '='",
  );
}

const CONFIG_KEY_PROBLEM = patternProblem(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  '[-._a-zA-Z0-9]+',
  'key.name',
  'KEY_NAME',
  'key-name',
);
/** A key of a ConfigMap or Secret. */
export function configMapKeyProblems(value: string): Problems {
  const problems: string[] = [];
  if (exceedsBytes(value, DNS1123_SUBDOMAIN_MAX_LENGTH)) problems.push(maxLengthProblem(DNS1123_SUBDOMAIN_MAX_LENGTH));
  if (value === '' || !everyCode(value, (code) => isAlnum(code) || isJoint(code))) problems.push(CONFIG_KEY_PROBLEM);
  const chdir = chdirProblems(value);
  if (chdir !== undefined) problems.push(chdir);
  return problems.length === 0 ? NO_PROBLEMS : problems;
}

/** An integer written as a person would: no leading zeros, no plus sign, no minus zero. */
export function decimalIntegerProblems(value: string): Problems {
  if (value === '') return ['must be non-empty'];
  const digits = value.startsWith('-') ? value.slice(1) : value;
  const canonical = value === '0' || (digits !== '' && digits.charCodeAt(0) !== 0x30 && everyCode(digits, isDigit));
  return one(canonical, 'must be a valid decimal integer in canonical form');
}

const CONDITION_REASON_PROBLEM = patternProblem(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?',
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
);
export function conditionReasonProblems(value: string): Problems {
  const last = value.charCodeAt(value.length - 1);
  const shaped =
    value !== '' &&
    isLetter(value.charCodeAt(0)) &&
    (isAlnum(last) || last === 0x5f) &&
    everyCode(value, (code) => isAlnum(code) || code === 0x5f || code === 0x2c || code === 0x3a);
  return one(shaped, CONDITION_REASON_PROBLEM);
}
