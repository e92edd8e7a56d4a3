/** Names and name resolution: DNS settings, host aliases, host names. */
import { exceedsBytes, utf8Length } from '../../../kube/go-text.ts';
import { field, forbidden, invalid, notSupported, required, tooLong } from '../../../kube/field-errors.ts';
import {
  DNS1123_SUBDOMAIN_MAX_LENGTH,
  dns1123SubdomainProblems,
  maxLengthProblem,
  patternProblem,
} from '../../../kube/names.ts';
import type { HostAlias, PodDNSConfig, PodSpec } from '../../types/core-v1.ts';
import { validateIP } from '../../../kube/ip.ts';
import type { Findings } from '../../rules/findings.ts';
import { addAll, addTexts, listOf } from '../../rules/findings.ts';

const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARACTERS = 2048;
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

export function validateDnsPolicy(found: Findings, policy: string | undefined, path: string): void {
  if (!policy) found.push(required(path, ''));
  else if (!DNS_POLICIES.includes(policy)) found.push(notSupported(path, policy, DNS_POLICIES));
}

const LOOSE_LABEL = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const LOOSE_LABEL_PATTERN = new RegExp(`^${LOOSE_LABEL}$`);
const LOOSE_PROBLEM = patternProblem(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
  `${LOOSE_LABEL}(\\.${LOOSE_LABEL})*`,
  'example.com',
);

/** Search domains may have underscores, as services of other systems do. */
function searchProblems(domain: string): readonly string[] {
  const problems: string[] = [];
  if (exceedsBytes(domain, DNS1123_SUBDOMAIN_MAX_LENGTH)) problems.push(maxLengthProblem(DNS1123_SUBDOMAIN_MAX_LENGTH));
  if (!domain.split('.').every((label) => LOOSE_LABEL_PATTERN.test(label))) problems.push(LOOSE_PROBLEM);
  return problems;
}

export function validateDnsConfig(
  found: Findings,
  config: PodDNSConfig | undefined,
  policy: string | undefined,
  path: string,
): void {
  if (policy === 'None') {
    if (config === undefined) {
      found.push(required(path, 'must provide `dnsConfig` when `dnsPolicy` is None'));
      return;
    }
    if (listOf(config.nameservers).length === 0) {
      const text = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      found.push(required(`${path}.nameservers`, text));
      return;
    }
  }
  if (config === undefined) return;
  const nameservers = listOf(config.nameservers);
  if (nameservers.length > MAX_NAMESERVERS) {
    const text = `must not have more than ${MAX_NAMESERVERS} nameservers`;
    found.push(invalid(`${path}.nameservers`, nameservers, text));
  }
  for (const [index, server] of nameservers.entries())
    addAll(found, validateIP(`${path}.nameservers[${index}]`, server));
  validateSearches(found, listOf(config.searches), `${path}.searches`);
  for (const [index, { name }] of listOf(config.options).entries()) {
    if (!name) found.push(required(`${path}.options[${index}]`, 'must not be empty'));
  }
}

function validateSearches(found: Findings, searches: readonly string[], path: string): void {
  if (searches.length > MAX_SEARCHES) {
    found.push(invalid(path, searches, `must not have more than ${MAX_SEARCHES} search paths`));
  }
  if (utf8Length(searches.join(' ')) > MAX_SEARCH_CHARACTERS) {
    const text = `must not have more than ${MAX_SEARCH_CHARACTERS} characters (including spaces) in the search list`;
    found.push(invalid(path, searches, text));
  }
  for (const [index, search] of searches.entries()) {
    if (search === '.') continue;
    const domain = search.endsWith('.') ? search.slice(0, -1) : search;
    addTexts(found, field.index(path, index), domain, searchProblems(domain));
  }
}

export function validateHostAliases(found: Findings, aliases: readonly HostAlias[], path: string): void {
  for (const [index, { ip = '', hostnames }] of aliases.entries()) {
    addAll(found, validateIP(`${path}[${index}].ip`, ip));
    for (const [position, name] of listOf(hostnames).entries()) {
      addTexts(found, `${path}[${index}].hostnames[${position}]`, name, dns1123SubdomainProblems(name));
    }
  }
}

const MAX_HOST_NAME = 64;

export function validateHostnameOverride(found: Findings, spec: PodSpec, path: string): void {
  const { hostnameOverride: name } = spec;
  if (name === undefined) return;
  const at = `${path}.hostnameOverride`;
  if (spec.setHostnameAsFQDN) found.push(forbidden(at, 'may not be specified when setHostnameAsFQDN is true'));
  if (spec.hostNetwork) found.push(forbidden(at, 'may not be specified when hostNetwork is true'));
  if (exceedsBytes(name, MAX_HOST_NAME)) found.push(tooLong(at, MAX_HOST_NAME));
  addTexts(found, at, name, dns1123SubdomainProblems(name));
}
