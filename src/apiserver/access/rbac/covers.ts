/**
 * Whether the holder of some rules holds other rules too, which decides what may be granted. A rule is broken into its
 * smallest parts (one group, one resource, one verb, one name); each must be covered by a single rule that is held.
 */
import type { PolicyRule } from '../../../core/api/types/rbac-v1.ts';
import { goQuote } from '../../../core/kube/go-text.ts';
import { trimStars } from './rules.ts';

const ALL = '*';
/** A hostile role could break into billions of parts; granting more than this takes the verb `escalate`. */
export const MAX_PARTS = 20_000;

/** The parts of `wanted` that `held` does not cover; empty: all are. Throws `TooManyParts` beyond the limit. */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  if (wanted.reduce((sum, rule) => sum + countParts(rule), 0) > MAX_PARTS) throw new TooManyParts();
  const covers = held.map(prepare);
  const missing: PolicyRule[] = [];
  for (const rule of wanted) {
    for (const part of partsOf(rule)) if (!covers.some((owner) => owner(part))) missing.push(part);
  }
  return missing;
}

export class TooManyParts extends Error {
  constructor() {
    super(`the rules name more than ${MAX_PARTS} combinations of group, resource, name and verb`);
  }
}

const length = (values: readonly string[] | undefined): number => values?.length ?? 0;

function countParts(rule: PolicyRule): number {
  const names = Math.max(length(rule.resourceNames), 1);
  const resources = length(rule.apiGroups) * length(rule.resources) * names;
  return (resources + length(rule.nonResourceURLs)) * rule.verbs.length;
}

/** The rule in parts that each have at most one group, resource, name, URL and verb. */
export function partsOf(rule: PolicyRule): readonly PolicyRule[] {
  const parts: PolicyRule[] = [];
  for (const group of rule.apiGroups ?? []) {
    for (const resource of rule.resources ?? []) {
      for (const verb of rule.verbs) {
        const part: PolicyRule = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (length(rule.resourceNames) === 0) parts.push(part);
        else for (const name of rule.resourceNames ?? []) parts.push({ ...part, resourceNames: [name] });
      }
    }
  }
  for (const url of rule.nonResourceURLs ?? []) {
    for (const verb of rule.verbs) parts.push({ nonResourceURLs: [url], verbs: [verb] });
  }
  return parts;
}

/** Asks whether a rule covers a part; every absent field of the part is covered by anything. */
function prepare(owner: PolicyRule): (part: PolicyRule) => boolean {
  const verbs = new Set(owner.verbs);
  const groups = new Set(owner.apiGroups);
  const resources = new Set(owner.resources);
  const names = new Set(owner.resourceNames);
  const urls = owner.nonResourceURLs ?? [];
  const coversResource = (resource: string): boolean => {
    if (resources.has(ALL) || resources.has(resource)) return true;
    const slash = resource.indexOf('/');
    return slash >= 0 && resources.has(`*${resource.slice(slash)}`);
  };
  return (part) => {
    const [verb = ''] = part.verbs;
    if (!verbs.has(ALL) && !verbs.has(verb)) return false;
    const url = part.nonResourceURLs?.[0];
    if (url !== undefined) return names.size === 0 && urls.some((own) => urlCovers(own, url));
    const group = part.apiGroups?.[0] ?? '';
    if (!groups.has(ALL) && !groups.has(group)) return false;
    if (!coversResource(part.resources?.[0] ?? '')) return false;
    const name = part.resourceNames?.[0];
    return names.size === 0 || (name !== undefined && names.has(name));
  };
}

const urlCovers = (own: string, url: string): boolean =>
  own === url || (own.endsWith(ALL) && url.startsWith(trimStars(own)));

/** Parts that differ in their verb alone become one again, for people to read. */
export function compactParts(parts: readonly PolicyRule[]): readonly PolicyRule[] {
  const simple = new Map<string, { readonly part: PolicyRule; readonly verbs: string[] }>();
  const others: PolicyRule[] = [];
  for (const part of parts) {
    if (part.nonResourceURLs !== undefined) {
      others.push(part);
      continue;
    }
    const key = JSON.stringify([part.apiGroups, part.resources, part.resourceNames]);
    const known = simple.get(key);
    if (known === undefined) simple.set(key, { part, verbs: [...part.verbs] });
    else known.verbs.push(...part.verbs);
  }
  return [...others, ...[...simple.values()].map(({ part, verbs }) => ({ ...part, verbs }))];
}

export const quotedList = (values: readonly string[]): string => `[${values.map(goQuote).join(' ')}]`;

/** One line a rule, in the words of Kubernetes' messages. */
export function ruleText(rule: PolicyRule): string {
  const fields: readonly [string, readonly string[] | undefined][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const shown = fields.flatMap(([name, values]) =>
    values === undefined || values.length === 0 ? [] : [`${name}:${quotedList(values)}`],
  );
  return `{${shown.join(', ')}}`;
}
