import { type FieldError, field, forbidden, invalid, required, tooLong } from '../../kube/field-errors.ts';
import { nameIsDnsSubdomain } from '../../kube/names.ts';
import { configMapKeyProblems } from '../../kube/value-formats.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { createGenericStrategy } from '../kind/generic-strategy.ts';
import { deepEqual } from '../../kube/immutable.ts';
import type { Secret } from '../types/core-v1.ts';
import { append } from '../rules/append.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../rules/metadata.ts';
import { fromEntries, withoutFields } from '../rules/objects.ts';

export const MAX_DATA_BYTES = 1024 * 1024;
const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const FROZEN = 'field is immutable when `immutable` is set';

type Data = { readonly [key: string]: string };

/** Bytes that a base64 text stands for. */
export function base64Bytes(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return Math.floor((text.length * 3) / 4) - padding;
}

/** `stringData` is write-only: its entries are merged into `data` and win over the entries there. */
function fold(secret: Secret): Secret {
  const { stringData } = secret;
  if (!stringData) return secret;
  const written = Object.entries(stringData).map(([key, value]): [string, string] => [
    key,
    Buffer.from(value).toString('base64'),
  ]);
  const rest = withoutFields(secret, 'stringData');
  return written.length === 0
    ? rest
    : { ...rest, data: fromEntries([...Object.entries(secret.data ?? {}), ...written]) };
}

const has = (data: Data, key: string): boolean => Object.hasOwn(data, key);

/** A docker configuration must be a JSON object; its contents never appear in a message. */
function validateDockerConfig(data: Data, key: string): readonly FieldError[] {
  const path = field.key('data', key);
  if (!has(data, key)) return [required(path, '')];
  const problem = jsonObjectProblem(Buffer.from(data[key] ?? '', 'base64').toString());
  return problem === undefined ? [] : [invalid(path, '<secret contents redacted>', problem)];
}

function jsonObjectProblem(text: string): string | undefined {
  if (text.trim() === '') return 'unexpected end of JSON input';
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined;
    const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
  } catch {
    return 'invalid character in JSON text';
  }
}

function validateByType(secret: Secret, data: Data): readonly FieldError[] {
  const missing = (key: string): readonly FieldError[] =>
    has(data, key) ? [] : [required(field.key('data', key), '')];
  switch (secret.type ?? '') {
    case 'kubernetes.io/service-account-token': {
      const account = 'kubernetes.io/service-account.name';
      return secret.metadata.annotations?.[account] ? [] : [required(field.key('metadata.annotations', account), '')];
    }
    case 'kubernetes.io/dockercfg':
      return validateDockerConfig(data, '.dockercfg');
    case 'kubernetes.io/dockerconfigjson':
      return validateDockerConfig(data, '.dockerconfigjson');
    case 'kubernetes.io/basic-auth':
      return has(data, 'username') || has(data, 'password') ? [] : [...missing('username'), ...missing('password')];
    case 'kubernetes.io/ssh-auth':
      return data['ssh-privatekey'] ? [] : [required(field.key('data', 'ssh-privatekey'), '')];
    case 'kubernetes.io/tls':
      return [...missing('tls.crt'), ...missing('tls.key')];
    default:
      return [];
  }
}

function validate(secret: Secret): FieldError[] {
  const errors = validateObjectMeta(secret.metadata, RULES, 'metadata');
  const data = secret.data ?? {};
  let bytes = 0;
  for (const key of Object.keys(data)) {
    for (const text of configMapKeyProblems(key)) errors.push(invalid(field.key('data', key), key, text));
    bytes += base64Bytes(data[key] ?? '');
  }
  if (bytes > MAX_DATA_BYTES) errors.push(tooLong('data', MAX_DATA_BYTES));
  append(errors, validateByType(secret, data));
  return errors;
}

const PEM_BEGIN = /-----BEGIN [^\n-]+-----/;
const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString('latin1');

/**
 * The warning of Go's TLS package about a pair that is no PEM; a key that does not match its certificate is not
 * detected.
 */
function warnings({ data = {}, type }: Secret): readonly string[] {
  if (type !== 'kubernetes.io/tls') return [];
  for (const [key, name] of [
    ['tls.crt', 'certificate'],
    ['tls.key', 'key'],
  ] as const) {
    if (!PEM_BEGIN.test(decoded(data[key] ?? ''))) return [`tls: failed to find any PEM data in ${name} input`];
  }
  return [];
}

export const secretStrategy: KindStrategy<Secret> = {
  warnings,
  ...createGenericStrategy<Secret>({ namespaced: true, hasStatus: false, hasGeneration: false }),
  defaults: (secret) => fold(secret.type ? secret : { ...secret, type: 'Opaque' }),
  validate,
  validateUpdate(secret, old) {
    const errors = validateObjectMetaUpdate(secret.metadata, old.metadata, 'metadata');
    if (secret.type !== old.type) errors.push(invalid('type', secret.type ?? '', 'field is immutable'));
    if (old.immutable === true) {
      if (secret.immutable !== true) errors.push(forbidden('immutable', FROZEN));
      if (!deepEqual(secret.data, old.data)) errors.push(forbidden('data', FROZEN));
    }
    append(errors, validate(secret));
    return errors;
  },
};
