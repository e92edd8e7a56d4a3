/**
 * The requests that one list of rules allows. Rules are compiled once for the list they stand in (stored lists never
 * change) and found by resource, so that a role of two hundred rules costs no more than one of three.
 */
import type { PolicyRule } from '../../../core/api/types/rbac-v1.ts';

/** A request for a resource, in the terms rules are written in. */
export interface ResourceQuestion {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
}

export interface CompiledRules {
  allowsResource(question: ResourceQuestion): boolean;
  allowsPath(verb: string, path: string): boolean;
}

const ALL = '*';

interface CompiledRule {
  /** undefined: all. */
  readonly verbs: ReadonlySet<string> | undefined;
  readonly groups: ReadonlySet<string> | undefined;
  /** undefined: whatever its name, or none. */
  readonly names: ReadonlySet<string> | undefined;
}

const setOrAll = (values: readonly string[] | undefined): ReadonlySet<string> | undefined =>
  values?.includes(ALL) === true ? undefined : new Set(values);

const compiled = new WeakMap<readonly PolicyRule[], CompiledRules>();

/** The same list gives the same compiled rules again. */
export function compileRules(rules: readonly PolicyRule[]): CompiledRules {
  let known = compiled.get(rules);
  if (known === undefined) compiled.set(rules, (known = compile(rules)));
  return known;
}

function compile(rules: readonly PolicyRule[]): CompiledRules {
  const byResource = new Map<string, CompiledRule[]>();
  const paths: { readonly verbs: ReadonlySet<string> | undefined; readonly urls: readonly string[] }[] = [];
  for (const rule of rules) {
    const verbs = setOrAll(rule.verbs);
    if (rule.nonResourceURLs !== undefined && rule.nonResourceURLs.length > 0) {
      paths.push({ verbs, urls: rule.nonResourceURLs });
    }
    const names = rule.resourceNames === undefined || rule.resourceNames.length === 0 ? undefined : rule.resourceNames;
    const entry: CompiledRule = {
      verbs,
      groups: setOrAll(rule.apiGroups),
      names: names === undefined ? undefined : new Set(names),
    };
    for (const resource of new Set(rule.resources)) {
      const some = byResource.get(resource);
      if (some === undefined) byResource.set(resource, [entry]);
      else some.push(entry);
    }
  }
  const everywhere = byResource.get(ALL);

  return {
    allowsResource(question) {
      if (everywhere !== undefined && anyAllows(everywhere, question)) return true;
      const { resource, subresource } = question;
      const exact = byResource.get(subresource === '' ? resource : `${resource}/${subresource}`);
      if (exact !== undefined && anyAllows(exact, question)) return true;
      if (subresource === '') return false;
      const anyParent = byResource.get(`*/${subresource}`);
      return anyParent !== undefined && anyAllows(anyParent, question);
    },
    allowsPath(verb, path) {
      for (const { urls, verbs } of paths) {
        if ((verbs === undefined || verbs.has(verb)) && urls.some((url) => pathMatches(url, path))) return true;
      }
      return false;
    },
  };
}

function anyAllows(rules: readonly CompiledRule[], { group, name, verb }: ResourceQuestion): boolean {
  for (const rule of rules) {
    if (
      (rule.verbs === undefined || rule.verbs.has(verb)) &&
      (rule.groups === undefined || rule.groups.has(group)) &&
      (rule.names === undefined || rule.names.has(name))
    ) {
      return true;
    }
  }
  return false;
}

/** A rule's URL matches itself, and everything it begins where it ends in a star. */
function pathMatches(url: string, path: string): boolean {
  if (url === ALL || url === path) return true;
  return url.endsWith(ALL) && path.startsWith(trimStars(url));
}

export function trimStars(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 42) end--;
  return text.slice(0, end);
}
