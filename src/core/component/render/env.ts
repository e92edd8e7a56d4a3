/** Environment variables. Built-in ones come first, for Kubernetes expands `$(NAME)` only from variables further up. */
import { DEFAULTS } from '../../api/component/defaults.ts';
import type { Component, ComponentSecret, ComponentVariable } from '../../api/component/types.ts';
import type { SecretText } from '../../api/component/secret-text.ts';
import type { EnvFromSource, EnvVar } from '../../api/types/core-v1.ts';
import { containersOf, type Declared } from '../containers-of.ts';
import type { Identity } from './mode.ts';
import type { Findings } from './findings.ts';
import { present } from './present.ts';

const fromField = (name: string, fieldPath: string): EnvVar => ({
  name,
  valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } },
});

/**
 * HOSTNAME hides the real host name, so only compatible mode, for daemons that have always had the variable, sets it.
 */
const POD_ID = fromField('K8S_POD_ID', 'metadata.name');
const NODE_NAME = fromField('K8S_NODE_NAME', 'spec.nodeName');
const BUILT_IN = [POD_ID, NODE_NAME];
const BUILT_IN_COMPATIBLE = [fromField('HOSTNAME', 'status.podIP'), POD_ID, NODE_NAME];

function builtIn({ mode }: Identity, { role }: Declared): readonly EnvVar[] {
  if (mode === 'safe') return BUILT_IN;
  return role === 'app' ? BUILT_IN_COMPATIBLE : [];
}

/** Names of literal secrets that more than one container gives. */
export function sharedSecretNames(component: Component): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const { container } of containersOf(component)) {
    for (const { name, value } of container.env?.secrets ?? []) {
      if (value === undefined) continue;
      if (seen.has(name)) shared.add(name);
      seen.add(name);
    }
  }
  return shared;
}

/**
 * The key of a literal secret in the one Secret of all containers: the variable's name; but where several containers give
 * that name, the others' keys carry the container's name, so that none overwrites another's value.
 */
const secretKey = (name: string, { role, container }: Declared, shared: ReadonlySet<string>): string =>
  role === 'app' || !shared.has(name) ? name : `${container.name ?? ''}.${name}`;

export interface EnvContext {
  readonly identity: Identity;
  readonly shared: ReadonlySet<string>;
  readonly findings: Findings;
}

export function envOf(declared: Declared, { identity, shared, findings }: EnvContext): readonly EnvVar[] {
  const { env } = declared.container;
  const { variables = [], secrets = [] } = env ?? {};
  const own = new Set([...variables, ...secrets].map(({ name }) => name));
  const unresolved = (list: string, index: number, name: string): void =>
    void findings.push({
      path: [...declared.path, 'env', list, index, 'valueFrom'],
      fault: { code: 'EN_COMPONENT_REFERENCE', message: `the reference of ${name} is not resolved` },
    });
  return [
    // A manifest that sets a built-in variable means to replace it.
    ...builtIn(identity, declared).filter(({ name }) => !own.has(name)),
    ...variables.flatMap((variable, index) => {
      if (variable.valueFrom !== undefined) unresolved('variables', index, variable.name);
      return variableOf(variable);
    }),
    ...secrets.flatMap((secret, index) => {
      if (secret.valueFrom !== undefined) unresolved('secrets', index, secret.name);
      return secretOf(secret, identity.envSecret, secretKey(secret.name, declared, shared));
    }),
  ];
}

function variableOf({ name, value, configMapKeyRef, fieldRef, resourceFieldRef }: ComponentVariable): EnvVar {
  if (value !== undefined) return { name, value };
  if (configMapKeyRef !== undefined) return { name, valueFrom: { configMapKeyRef } };
  if (fieldRef !== undefined) {
    return {
      name,
      valueFrom: {
        fieldRef: { apiVersion: fieldRef.apiVersion ?? DEFAULTS.fieldVersion, fieldPath: fieldRef.fieldPath },
      },
    };
  }
  return resourceFieldRef === undefined ? { name, value: '' } : { name, valueFrom: { resourceFieldRef } };
}

function secretOf({ name, secretRef }: ComponentSecret, envSecret: string, key: string): EnvVar {
  if (secretRef === undefined) return { name, valueFrom: { secretKeyRef: { name: envSecret, key } } };
  const { name: secret, key: secretKey, optional } = secretRef;
  return {
    name,
    valueFrom: { secretKeyRef: { name: secret, key: secretKey, ...(optional === undefined ? {} : { optional }) } },
  };
}

export const envFromOf = ({ container }: Declared): readonly EnvFromSource[] =>
  (container.env?.envFrom ?? []).map(({ prefix, configMapRef, secretRef }) =>
    present<EnvFromSource>({ prefix, configMapRef, secretRef }),
  );

/** Data of the Secret: every literal of every container, by key. */
export function literalSecrets(component: Component): ReadonlyMap<string, SecretText> {
  const shared = sharedSecretNames(component);
  const literals = new Map<string, SecretText>();
  for (const declared of containersOf(component)) {
    for (const { name, value } of declared.container.env?.secrets ?? []) {
      if (value !== undefined) literals.set(secretKey(name, declared, shared), value);
    }
  }
  return new Map([...literals].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
