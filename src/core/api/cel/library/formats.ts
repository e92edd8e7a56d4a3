/** Named formats: `format.dns1123Label().validate(name)`. */
import {
  labelValueProblems,
  nameIsDns1035Label,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  qualifiedNameProblems,
  type Problems,
} from '../../../kube/names.ts';
import type { FunctionTable } from '../values/function-table.ts';
import { FORMAT_TYPE, type Comparable } from '../values/opaque.ts';
import { parseBase64 } from '../../schema/base64.ts';
import { parseTimestamp } from '../values/times.ts';
import { ArrayList, CelOpaque, CelOptional, isError, NONE, type Val } from '../values/values.ts';
import { uriProblem } from './urls.ts';

interface NamedFormat extends Comparable {
  readonly problems: (text: string) => Problems;
  /** Length of an equivalent pattern, which determines the price. */
  readonly maxRegexSize: number;
}

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const DATE_TIME =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})$/;

const oneProblem = (ok: boolean, problem: string): Problems => (ok ? [] : [problem]);
const isTime = (text: string): boolean => {
  const time = parseTimestamp(text);
  return time !== undefined && !isError(time);
};

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const format = (identity: string, maxRegexSize: number, problems: (text: string) => Problems): CelOpaque =>
  new CelOpaque(FORMAT_TYPE, { identity, maxRegexSize, problems } satisfies NamedFormat);

const FORMATS: ReadonlyMap<string, CelOpaque> = new Map([
  ['dns1123Label', format('DNS1123Label', 30, (text) => nameIsDnsLabel(text, false))],
  ['dns1123Subdomain', format('DNS1123Subdomain', 60, (text) => nameIsDnsSubdomain(text, false))],
  ['dns1035Label', format('DNS1035Label', 30, (text) => nameIsDns1035Label(text, false))],
  ['qualifiedName', format('QualifiedName', 60, qualifiedNameProblems)],
  ['dns1123LabelPrefix', format('DNS1123LabelPrefix', 30, (text) => nameIsDnsLabel(text, true))],
  ['dns1123SubdomainPrefix', format('DNS1123SubdomainPrefix', 60, (text) => nameIsDnsSubdomain(text, true))],
  ['dns1035LabelPrefix', format('DNS1035LabelPrefix', 30, (text) => nameIsDns1035Label(text, true))],
  ['labelValue', format('LabelValue', 40, labelValueProblems)],
  [
    'uri',
    format('URI', 1103, (text) => {
      const problem = uriProblem(text);
      return problem === undefined ? [] : [problem];
    }),
  ],
  ['uuid', format('uuid', 70, (text) => oneProblem(UUID.test(text), 'does not match the UUID format'))],
  [
    'byte',
    format('byte', 84, (text) =>
      oneProblem(text !== '' && BASE64.test(text) && 'text' in parseBase64(text), 'invalid base64'),
    ),
  ],
  ['date', format('date', 71, (text) => oneProblem(DATE.test(text) && isTime(`${text}T00:00:00Z`), 'invalid date'))],
  [
    'datetime',
    format('datetime', 71, (text) =>
      oneProblem(DATE_TIME.test(text) && isTime(text.toUpperCase()), 'invalid datetime'),
    ),
  ],
]);

function validate(named: CelOpaque, text: string): Val {
  const problems = (named.payload as NamedFormat).problems(text);
  return problems.length === 0 ? NONE : new CelOptional(new ArrayList(problems));
}

export const FORMAT_FUNCTIONS: FunctionTable = [
  ...Array.from(FORMATS, ([name, named]): FunctionTable[number] => [`format.${name}`, () => named]),
  [
    'format-named',
    (name) => {
      const named = FORMATS.get(name as string);
      return named ? new CelOptional(named) : NONE;
    },
  ],
  ['format-validate', (named, text) => validate(named as CelOpaque, text as string)],
];
