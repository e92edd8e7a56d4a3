/** Configuration of a kubelet by reference: a removed feature whose leftovers must stay valid. */
import { type FieldError, field, forbidden, invalid, required } from '../../kube/field-errors.ts';
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../../kube/names.ts';
import { configMapKeyProblems } from '../../kube/value-formats.ts';
import type { ConfigMapNodeConfigSource, NodeConfigSource, NodeConfigStatus } from '../types/core-v1.ts';
import { append } from '../rules/append.ts';

function validateReference(source: ConfigMapNodeConfigSource, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const check = (
    key: 'namespace' | 'name' | 'kubeletConfigKey',
    problems: (value: string) => readonly string[],
  ): void => {
    const at = field.child(path, key);
    const value = source[key] ?? '';
    if (value === '') errors.push(required(at, ''));
    else for (const text of problems(value)) errors.push(invalid(at, value, text));
  };
  check('namespace', (value) => nameIsDnsLabel(value, false));
  check('name', (value) => nameIsDnsSubdomain(value, false));
  check('kubeletConfigKey', configMapKeyProblems);
  return errors;
}

/** The members as Kubernetes prints them in its internal form. */
const printable = (source: NodeConfigSource): object => {
  const map = source.configMap;
  return {
    ConfigMap: map
      ? {
          Namespace: map.namespace ?? '',
          Name: map.name ?? '',
          UID: map.uid ?? '',
          ResourceVersion: map.resourceVersion ?? '',
          KubeletConfigKey: map.kubeletConfigKey ?? '',
        }
      : null,
  };
};

const exactlyOne = (source: NodeConfigSource, path: string): FieldError =>
  invalid(path, printable(source), 'exactly one reference subfield must be non-nil');

/** In the spec, a reference may not be pinned to a version. */
export function validateConfigSource(source: NodeConfigSource, path: string): readonly FieldError[] {
  const map = source.configMap;
  if (!map) return [exactlyOne(source, path)];
  const errors: FieldError[] = [];
  const at = field.child(path, 'configMap');
  if (map.uid) errors.push(forbidden(field.child(at, 'uid'), 'uid must not be set in spec'));
  if (map.resourceVersion) {
    errors.push(forbidden(field.child(at, 'resourceVersion'), 'resourceVersion must not be set in spec'));
  }
  append(errors, validateReference(map, at));
  return errors;
}

function validateObserved(source: NodeConfigSource | undefined, path: string): readonly FieldError[] {
  if (!source) return [];
  const map = source.configMap;
  if (!map) return [exactlyOne(source, path)];
  const errors: FieldError[] = [];
  const at = field.child(path, 'configMap');
  if (!map.uid) errors.push(required(field.child(at, 'uid'), ''));
  if (!map.resourceVersion) {
    errors.push(required(field.child(at, 'resourceVersion'), ''));
  }
  append(errors, validateReference(map, at));
  return errors;
}

export function validateConfigStatus(status: NodeConfigStatus, path: string): readonly FieldError[] {
  return [
    ...validateObserved(status.assigned, field.child(path, 'assigned')),
    ...validateObserved(status.active, field.child(path, 'active')),
    ...validateObserved(status.lastKnownGood, field.child(path, 'lastKnownGood')),
  ];
}
