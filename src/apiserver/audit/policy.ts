/** Audit levels by request: Kubernetes' audit policy (audit.k8s.io/v1). The first rule that matches counts. */
import { readYamlFile, type YamlFile } from '../../core/kube/yaml/read-file.ts';
import { entryOf, plainValue, type SourceNode } from '../../core/kube/yaml/source-node.ts';
import type { UserInfo } from '../../machinery/ports/admission.ts';
import type { RequestTarget } from '../contract/request.ts';

const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type Level = (typeof LEVELS)[number];
const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type Stage = (typeof STAGES)[number];

interface AuditRule {
  readonly level: Level;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly {
    readonly group?: string;
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
  /** An empty text stands for requests outside of any namespace. */
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly Stage[];
}

export interface AuditPolicy {
  readonly rules: readonly AuditRule[];
  readonly omitStages: readonly Stage[];
}

/** The default policy: user, verb and target of every request, no bodies. */
export const METADATA_OF_EVERYTHING: AuditPolicy = { rules: [{ level: 'Metadata' }], omitStages: ['RequestReceived'] };

export interface Audited {
  readonly user: UserInfo | undefined;
  readonly verb: string;
  readonly path: string;
  readonly target: RequestTarget | undefined;
}

export interface AuditDecision {
  readonly level: Level;
  readonly omits: (stage: Stage) => boolean;
}

const isNamed = (list: readonly string[] | undefined, value: string): boolean =>
  list === undefined || list.length === 0 || list.includes(value);

export function decide(policy: AuditPolicy, audited: Audited): AuditDecision {
  const rule = policy.rules.find((each) => fits(each, audited));
  const omitted = new Set([...policy.omitStages, ...(rule?.omitStages ?? [])]);
  return { level: rule?.level ?? 'None', omits: (stage) => omitted.has(stage) };
}

function fits(rule: AuditRule, { user, verb, path, target }: Audited): boolean {
  if (!isNamed(rule.users, user?.name ?? '') || !isNamed(rule.verbs, verb)) return false;
  const { userGroups = [], namespaces = [], resources = [], nonResourceURLs = [] } = rule;
  if (userGroups.length > 0 && !userGroups.some((group) => user?.groups.includes(group))) return false;
  if (namespaces.length === 0 && resources.length === 0 && nonResourceURLs.length === 0) return true;
  if (target === undefined) return nonResourceURLs.some((pattern) => fitsPath(pattern, path));
  if (namespaces.length > 0 && !namespaces.includes(target.namespace)) return false;
  if (resources.length === 0) return namespaces.length > 0;
  return resources.some(
    ({ group = '', resources: names = [], resourceNames }) =>
      group === target.group &&
      (names.length === 0 || names.some((name) => fitsResource(name, target))) &&
      isNamed(resourceNames, target.name),
  );
}

const fitsPath = (pattern: string, path: string): boolean =>
  pattern === path || pattern === '*' || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));

// `pods`, `pods/log`, `*` (everything), `pods/*` (pods and all below), `*/scale` (that of everything).
function fitsResource(pattern: string, { resource, subresource }: RequestTarget): boolean {
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  if (pattern === '*' || pattern === whole) return true;
  if (pattern.startsWith('*/')) return subresource !== '' && pattern.slice(2) === subresource;
  return pattern.endsWith('/*') && pattern.slice(0, -2) === resource;
}

export interface PolicyProblem {
  readonly line: number;
  readonly path: string;
  readonly message: string;
}

const KNOWN = [
  'level',
  'users',
  'userGroups',
  'verbs',
  'resources',
  'namespaces',
  'nonResourceURLs',
  'omitStages',
  'omitManagedFields',
];

/** All problems of a policy file at once, each with its line. */
export function readAuditPolicy(text: string): {
  readonly policy: AuditPolicy;
  readonly problems: readonly PolicyProblem[];
} {
  const file = readYamlFile(text);
  const problems: PolicyProblem[] = [...file.problems];
  if (problems.length > 0) return { policy: METADATA_OF_EVERYTHING, problems };
  const say = (path: readonly (string | number)[], message: string): void =>
    void problems.push({ line: lineOf(file, path), path: pathText(path), message });
  const value = plainValue(file.root) as { kind?: unknown; rules?: unknown; omitStages?: unknown } | null;
  if (value?.kind !== 'Policy') say(['kind'], 'must be Policy (apiVersion audit.k8s.io/v1)');
  const rules = Array.isArray(value?.rules) ? (value.rules as unknown[]) : [];
  if (rules.length === 0) say(['rules'], 'at least one rule is needed, or nothing is ever written');
  for (const [index, rule] of rules.entries()) {
    if (typeof rule !== 'object' || rule === null) {
      say(['rules', index], 'must be an object with a level');
      continue;
    }
    const { level } = rule as { level?: unknown };
    if (!LEVELS.includes(level as Level)) say(['rules', index, 'level'], `must be one of ${LEVELS.join(', ')}`);
    for (const key of Object.keys(rule)) if (!KNOWN.includes(key)) say(['rules', index, key], 'unknown field');
    checkStages((rule as AuditRule).omitStages, ['rules', index, 'omitStages'], say);
  }
  checkStages(value?.omitStages, ['omitStages'], say);
  const omitStages = (Array.isArray(value?.omitStages) ? value.omitStages : []) as readonly Stage[];
  return { policy: { rules: rules as readonly AuditRule[], omitStages }, problems };
}

function checkStages(
  stages: unknown,
  path: readonly (string | number)[],
  say: (path: readonly (string | number)[], message: string) => void,
): void {
  if (stages === undefined) return;
  const isGood = Array.isArray(stages) && stages.every((stage) => STAGES.includes(stage as Stage));
  if (!isGood) say(path, `must be a list of ${STAGES.join(', ')}`);
}

const pathText = (path: readonly (string | number)[]): string =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );

/** The line of the deepest field of the path that the file has. */
function lineOf({ root, lineOf: line }: YamlFile, path: readonly (string | number)[]): number {
  let node: SourceNode = root;
  for (const step of path) {
    const next = childOf(node, step);
    if (next === undefined) break;
    node = next;
  }
  return node === root ? 1 : line(node);
}

function childOf(node: SourceNode, step: string | number): SourceNode | undefined {
  if (node.kind === 'map') return entryOf(node, String(step))?.value;
  return node.kind === 'list' && typeof step === 'number' ? node.items[step] : undefined;
}
