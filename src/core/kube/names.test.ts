import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readGolden } from './golden/read.ts';
import * as names from './names.ts';
import * as formats from './value-formats.ts';

interface Table {
  readonly rules: readonly string[];
  readonly messages: readonly string[];
  readonly cases: readonly (readonly [string, ...(readonly number[])[]])[];
}

const rules: { readonly [rule: string]: (value: string) => names.Problems } = {
  cIdentifier: formats.cIdentifierProblems,
  configMapKey: formats.configMapKeyProblems,
  decimalInteger: formats.decimalIntegerProblems,
  dns1035Label: names.dns1035LabelProblems,
  dns1123Label: names.dns1123LabelProblems,
  dns1123Subdomain: names.dns1123SubdomainProblems,
  dns1123SubdomainCaseless: names.dns1123SubdomainCaselessProblems,
  envVarName: formats.envVarNameProblems,
  httpHeaderName: formats.httpHeaderNameProblems,
  labelValue: names.labelValueProblems,
  nameIsDnsLabelPrefix: (value) => names.nameIsDnsLabel(value, true),
  nameIsDnsSubdomainPrefix: (value) => names.nameIsDnsSubdomain(value, true),
  pathSegmentName: names.pathSegmentNameProblems,
  pathSegmentPrefix: names.pathSegmentPrefixProblems,
  percent: formats.percentProblems,
  portName: formats.portNameProblems,
  qualifiedName: names.qualifiedNameProblems,
  relaxedEnvVarName: formats.relaxedEnvVarNameProblems,
  wildcardDns1123Subdomain: names.wildcardDns1123SubdomainProblems,
};

describe('names and formats against Kubernetes', () => {
  const table = readGolden('names') as Table;
  it.each(table.rules.map((rule, column) => [rule, column] as const))('%s says what upstream says', (rule, column) => {
    const check = rules[rule];
    if (check === undefined) throw new Error(`no rule ${rule}`);
    for (const [input, ...columns] of table.cases) {
      const expected = columns[column]?.map((index) => table.messages[index]);
      expect({ input, problems: check(input) }).toEqual({ input, problems: expected });
    }
  });
});

describe('scanners against the patterns they replace', () => {
  const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
  const patterns: readonly (readonly [string, RegExp, (value: string) => names.Problems])[] = [
    ['label', new RegExp(`^${label}$`), names.dns1123LabelProblems],
    ['subdomain', new RegExp(`^${label}(\\.${label})*$`), names.dns1123SubdomainProblems],
    ['1035 label', /^[a-z]([-a-z0-9]*[a-z0-9])?$/, names.dns1035LabelProblems],
    ['label value', /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/, names.labelValueProblems],
    ['reason', /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/, (value) => formats.conditionReasonProblems(value)],
  ];
  const text = fc.string({
    unit: fc.constantFrom('a', 'z', 'A', '0', '9', '-', '.', '_', ',', ':', 'é'),
    maxLength: 12,
  });
  it.each(patterns)('%s', (_, pattern, check) => {
    fc.assert(
      fc.property(text, (value) => {
        expect(check(value).length === 0).toBe(pattern.test(value));
      }),
    );
  });
});

describe('a good name', () => {
  it('costs no allocation: the empty answer is shared', () => {
    expect(names.dns1123SubdomainProblems('a.b')).toBe(names.NO_PROBLEMS);
    expect(names.qualifiedNameProblems('a.b/c')).toBe(names.NO_PROBLEMS);
    expect(formats.portNameProblems('http')).toBe(names.NO_PROBLEMS);
  });
});

describe('ranges', () => {
  it('print as upstream', () => {
    expect(formats.portNumberProblems(0)).toEqual(['must be between 1 and 65535, inclusive']);
    expect(formats.portNumberProblems(65535)).toEqual([]);
    expect(formats.userIdProblems(-1)).toEqual(['must be between 0 and 2147483647, inclusive']);
  });
});

describe('generateName', () => {
  const suffix = (length: number): string => 'x'.repeat(length);
  it('appends five characters', () => {
    expect(names.generateName('web-', suffix)).toBe('web-xxxxx');
  });
  it('never exceeds a DNS label', () => {
    const name = names.generateName('a'.repeat(200), suffix);
    expect(name).toBe(`${'a'.repeat(58)}xxxxx`);
    expect(names.dns1123LabelProblems(name)).toEqual([]);
  });
  it('keeps a base that just fits', () => {
    expect(names.generateName('a'.repeat(58), suffix)).toHaveLength(63);
  });
});

describe('path segments as a rule for names', () => {
  it('allows a dot only as a prefix', () => {
    expect(names.nameIsPathSegment('.', true)).toEqual([]);
    expect(names.nameIsPathSegment('.', false)).toEqual(["may not be '.'"]);
  });
});
