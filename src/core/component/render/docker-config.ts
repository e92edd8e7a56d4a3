/**
 * Registry logins as the kubelet reads them. What the manifest declares is added to a configuration given from outside
 * (a Docker config file), and goes before it for the same registry.
 */
import { SecretText } from '../../api/component/secret-text.ts';
import type { Component } from '../../api/component/types.ts';
import { parseJson, type Json, type JsonObject } from '../../kube/json.ts';
import type { Findings } from './findings.ts';

type Auths = { readonly [server: string]: JsonObject };

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The logins in a Docker configuration, or undefined if the text is none. Never reveals its content. */
function authsIn(text: string): Auths | undefined {
  try {
    const config = parseJson(text);
    const auths = isObject(config) && Object.hasOwn(config, 'auths') ? config['auths'] : undefined;
    if (!isObject(auths) || !Object.values(auths).every((auth) => isObject(auth))) return undefined;
    return auths as Auths;
  } catch {
    return undefined;
  }
}

const BASE = ['spec', 'pod', 'imageRegistries'] as const;

/** One configuration from all logins; nothing where there are none. It stays unresolved while a password is. */
export function dockerConfigOf(
  { spec }: Component,
  given: SecretText | undefined,
  findings: Findings,
): SecretText | undefined {
  const registries = spec.pod?.imageRegistries ?? [];
  if (registries.length === 0 && given === undefined) return undefined;
  const unresolved = [given, ...registries.map(({ password }) => password)].find((text) => text?.isResolved === false);
  if (unresolved !== undefined) return new SecretText('', unresolved.origin, false);

  const auths = new Map<string, Json>();
  if (given !== undefined) {
    const found = authsIn(given.reveal() ?? '');
    if (found === undefined) {
      const message = `${given.describe()} is no Docker configuration: a JSON object with "auths" was expected`;
      findings.push({ path: BASE, fault: { code: 'EN_COMPONENT_DOCKER_CONFIG', message } });
    }
    for (const [server, auth] of Object.entries(found ?? {})) auths.set(server, auth);
  }
  for (const { server, username, password, email } of registries) {
    const text = password.reveal() ?? '';
    auths.set(server, {
      username,
      password: text,
      ...(email === undefined ? {} : { email }),
      auth: Buffer.from(`${username}:${text}`, 'utf8').toString('base64'),
    });
  }
  const sorted = [...auths].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return SecretText.literal(JSON.stringify({ auths: Object.fromEntries(sorted) }));
}
