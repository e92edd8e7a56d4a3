import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PolicyRule } from '../../../core/api/types/rbac-v1.ts';
import { compactParts, MAX_PARTS, partsOf, ruleText, TooManyParts, uncovered } from './covers.ts';
import { compileRules, type ResourceQuestion } from './rules.ts';

const question = (verb: string, what: string, name = ''): ResourceQuestion => {
  const [group = '', rest = ''] = what.split(':');
  const [resource = '', subresource = ''] = rest.split('/');
  return { verb, group, resource, subresource, name };
};
const may = (rules: readonly PolicyRule[], verb: string, what: string, name = ''): boolean =>
  compileRules(rules).allowsResource(question(verb, what, name));
const mayPath = (rules: readonly PolicyRule[], verb: string, path: string): boolean =>
  compileRules(rules).allowsPath(verb, path);

describe('rules', () => {
  it('allow what they name and nothing beside it', () => {
    const rules: PolicyRule[] = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
    expect(may(rules, 'get', ':pods', 'a')).toBe(true);
    expect(may(rules, 'list', ':pods')).toBe(false);
    expect(may(rules, 'get', 'apps:pods')).toBe(false);
    expect(may(rules, 'get', ':podsx')).toBe(false);
    expect(may(rules, 'get', ':pods/log', 'a')).toBe(false);
    expect(mayPath(rules, 'get', '/api/v1/pods')).toBe(false);
  });

  it('take a star for all verbs, groups and resources, subresources too', () => {
    expect(may([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], 'escalate', 'x.y:zs/sub', 'n')).toBe(true);
    expect(may([{ verbs: ['get'], apiGroups: ['*'], resources: ['*'] }], 'list', ':pods')).toBe(false);
    expect(may([{ verbs: ['*'], apiGroups: ['apps'], resources: ['*'] }], 'get', ':pods')).toBe(false);
    // A star is no pattern.
    expect(may([{ verbs: ['get'], apiGroups: [''], resources: ['po*'] }], 'get', ':pods')).toBe(false);
    expect(may([{ verbs: ['get'], apiGroups: [''], resources: ['pods/*'] }], 'get', ':pods/log')).toBe(false);
  });

  it('reach one subresource of every resource', () => {
    const rules: PolicyRule[] = [{ verbs: ['update'], apiGroups: ['*'], resources: ['*/scale'] }];
    expect(may(rules, 'update', 'apps:deployments/scale', 'a')).toBe(true);
    expect(may(rules, 'update', 'apps:deployments', 'a')).toBe(false);
    expect(may(rules, 'update', 'apps:deployments/status', 'a')).toBe(false);
  });

  it('with names allow those alone, and nothing that names nothing', () => {
    const rules: PolicyRule[] = [
      { verbs: ['get', 'list', 'create'], apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'] },
    ];
    expect(may(rules, 'get', ':secrets', 'mine')).toBe(true);
    expect(may(rules, 'get', ':secrets', 'yours')).toBe(false);
    expect(may(rules, 'list', ':secrets')).toBe(false);
    expect(may(rules, 'create', ':secrets')).toBe(false);
    // An empty list of names is none.
    expect(
      may([{ verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: [] }], 'get', ':secrets', 'x'),
    ).toBe(true);
  });

  it('for paths match whole, or what they begin', () => {
    const rules: PolicyRule[] = [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/apis/*'] }];
    expect(mayPath(rules, 'get', '/healthz')).toBe(true);
    expect(mayPath(rules, 'get', '/healthz/etcd')).toBe(false);
    expect(mayPath(rules, 'get', '/apis/apps/v1')).toBe(true);
    expect(mayPath(rules, 'get', '/apis')).toBe(false);
    expect(mayPath(rules, 'post', '/healthz')).toBe(false);
    expect(mayPath([{ verbs: ['*'], nonResourceURLs: ['*'] }], 'delete', '/x')).toBe(true);
    expect(may(rules, 'get', ':healthz')).toBe(false);
  });

  it('take names of prototypes for plain text', () => {
    expect(may([{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }], '__proto__', ':constructor')).toBe(false);
    expect(
      may([{ verbs: ['__proto__'], apiGroups: [''], resources: ['constructor'] }], '__proto__', ':constructor'),
    ).toBe(true);
  });
});

/** Written from the words of Kubernetes' documentation, without looking at the compiled form. */
function oracle(rules: readonly PolicyRule[], asked: ResourceQuestion): boolean {
  const { group, name, resource, subresource, verb } = asked;
  return rules.some((rule) => {
    const verbFits = rule.verbs.some((each) => each === '*' || each === verb);
    const groupFits = (rule.apiGroups ?? []).some((each) => each === '*' || each === group);
    const resourceFits = (rule.resources ?? []).some((each) => {
      if (each === '*') return true;
      if (subresource === '') return each === resource;
      return each === `${resource}/${subresource}` || each === `*/${subresource}`;
    });
    const names = rule.resourceNames ?? [];
    return verbFits && groupFits && resourceFits && (names.length === 0 || names.includes(name));
  });
}

const VERBS = ['get', 'list', 'create', 'delete'];
const GROUPS = ['', 'apps', 'batch'];
const RESOURCES = ['pods', 'jobs', 'secrets'];
const SUBRESOURCES = ['status', 'scale'];
const NAMES = ['a', 'b'];
const some = (values: readonly string[], least = 0) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: least, maxLength: 3 });
const PATHS = ['/', '/api', '/api/v1', '/apis/x', '*', '/api*', '/api/*', '/**'];
const resourceRule = fc.record({
  verbs: some([...VERBS, '*'], 1),
  apiGroups: some([...GROUPS, '*'], 1),
  resources: some(
    [...RESOURCES, '*', ...SUBRESOURCES.map((each) => `*/${each}`), ...RESOURCES.map((each) => `${each}/status`)],
    1,
  ),
  resourceNames: some(NAMES),
}) as fc.Arbitrary<PolicyRule>;
const pathRule = fc.record({
  verbs: some([...VERBS, '*'], 1),
  nonResourceURLs: some(PATHS, 1),
}) as fc.Arbitrary<PolicyRule>;
const anyRules = fc.array(fc.oneof({ weight: 3, arbitrary: resourceRule }, pathRule), { maxLength: 6 });
const anyQuestion = fc.record({
  verb: fc.constantFrom(...VERBS, 'watch'),
  group: fc.constantFrom(...GROUPS, 'other'),
  resource: fc.constantFrom(...RESOURCES, 'nodes'),
  subresource: fc.constantFrom('', ...SUBRESOURCES, 'log'),
  name: fc.constantFrom('', ...NAMES, 'c'),
});

describe('compiled rules', () => {
  it('allow exactly what the rules say', () => {
    fc.assert(
      fc.property(anyRules, anyQuestion, (rules, asked) => {
        expect(compileRules(rules).allowsResource(asked)).toBe(oracle(rules, asked));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('covering', () => {
  it('is sound: whoever is covered gains nothing', () => {
    fc.assert(
      fc.property(anyRules, anyRules, anyQuestion, (held, wanted, asked) => {
        if (uncovered(held, wanted).length > 0) return;
        if (oracle(wanted, asked)) expect(oracle(held, asked)).toBe(true);
        for (const path of ['/', '/api', '/api/v1', '/apis/x', '/z']) {
          if (mayPath(wanted, asked.verb, path)) expect(mayPath(held, asked.verb, path)).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('knows its own', () => {
    fc.assert(
      fc.property(anyRules, anyRules, (rules, more) => {
        expect(uncovered([...more, ...rules], rules)).toEqual([]);
        // The missing rules and the held ones together cover all that were wanted.
        expect(uncovered([...more, ...uncovered(more, rules)], rules)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('sees through every corner', () => {
    const covers = (held: Partial<PolicyRule>, wanted: Partial<PolicyRule>): boolean =>
      uncovered(
        [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], ...held }],
        [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], ...wanted }],
      ).length === 0;
    expect(covers({}, {})).toBe(true);
    expect(covers({}, { verbs: ['*'] })).toBe(false);
    expect(covers({ verbs: ['*'] }, { verbs: ['*'] })).toBe(true);
    expect(covers({ apiGroups: ['*'] }, { apiGroups: ['apps'] })).toBe(true);
    expect(covers({}, { resources: ['*'] })).toBe(false);
    expect(covers({ resources: ['*/status'] }, { resources: ['pods/status'] })).toBe(true);
    expect(covers({ resources: ['*/status'] }, { resources: ['*/status'] })).toBe(true);
    expect(covers({ resources: ['pods/status'] }, { resources: ['*/status'] })).toBe(false);
    expect(covers({ resourceNames: ['a'] }, {})).toBe(false);
    expect(covers({ resourceNames: ['a'] }, { resourceNames: ['a'] })).toBe(true);
    expect(covers({}, { resourceNames: ['a'] })).toBe(true);
    expect(
      uncovered([{ verbs: ['get'], nonResourceURLs: ['/api*'] }], [{ verbs: ['get'], nonResourceURLs: ['/apis'] }]),
    ).toEqual([]);
    expect(
      uncovered([{ verbs: ['get'], nonResourceURLs: ['/api'] }], [{ verbs: ['get'], nonResourceURLs: ['/api*'] }]),
    ).toHaveLength(1);
  });

  it('tells what is missing in as few lines as it takes', () => {
    const wanted: PolicyRule = {
      verbs: ['get', 'list'],
      apiGroups: ['', 'apps'],
      resources: ['pods'],
      resourceNames: ['a'],
    };
    const parts = partsOf(wanted);
    expect(parts).toHaveLength(4);
    expect(compactParts(parts).map(ruleText)).toEqual([
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get" "list"]}',
      '{APIGroups:["apps"], Resources:["pods"], ResourceNames:["a"], Verbs:["get" "list"]}',
    ]);
    expect(ruleText({ verbs: ['get'], nonResourceURLs: ['/a'] })).toBe('{NonResourceURLs:["/a"], Verbs:["get"]}');
  });

  it('gives up on what would take forever', () => {
    const many = Array.from({ length: 200 }, (_, at) => `r${at}`);
    const wanted: PolicyRule = { verbs: many, apiGroups: many, resources: many };
    expect(200 ** 3).toBeGreaterThan(MAX_PARTS);
    expect(() => uncovered([], [wanted])).toThrow(TooManyParts);
  });
});
