/** Fields of a pod that its containers may read, in variables and in files. */
import { field, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { qualifiedNameProblems } from '../../../kube/names.ts';
import type { DownwardAPIVolumeFile, ObjectFieldSelector, ResourceFieldSelector } from '../../types/core-v1.ts';
import { amountText, isZero } from '../../rules/amounts.ts';
import type { Findings } from '../../rules/findings.ts';
import { addTexts, listOf } from '../../rules/findings.ts';
import { validateLocalPath } from '../../rules/paths.ts';
import type { VolumeRule } from './volume-files.ts';
import { validateFileMode } from './volume-files.ts';

export const ENV_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

const FILE_FIELDS = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'];

/** Every field that upstream knows; variables and files allow different ones of them. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...ENV_FIELDS,
  ...FILE_FIELDS,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

const RESOURCE_FIELDS = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

const SUBSCRIPTED = /^(.+?)\['(.*)'\]$/s;

export function validateFieldRef(
  found: Findings,
  reference: Partial<ObjectFieldSelector>,
  allowed: readonly string[],
  path: string,
): void {
  const { apiVersion = '', fieldPath = '' } = reference;
  if (apiVersion === '') found.push(required(field.child(path, 'apiVersion'), ''));
  else if (fieldPath === '') found.push(required(field.child(path, 'fieldPath'), ''));
  else if (apiVersion !== 'v1') unconvertible(found, fieldPath, `unsupported pod version: ${apiVersion}`, path);
  else if (!(fieldPath.endsWith("']") && SUBSCRIPTED.test(fieldPath))) {
    validatePlainField(found, fieldPath, allowed, path);
  } else validateSubscript(found, fieldPath, path);
}

function unconvertible(found: Findings, fieldPath: string, text: string, path: string): void {
  found.push(invalid(field.child(path, 'fieldPath'), fieldPath, `error converting fieldPath: ${text}`));
}

function validatePlainField(found: Findings, fieldPath: string, allowed: readonly string[], path: string): void {
  if (allowed.includes(fieldPath)) return;
  const name = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
  if (!KNOWN_FIELDS.has(name)) unconvertible(found, fieldPath, `field label not supported: ${fieldPath}`, path);
  else if (!allowed.includes(name)) found.push(notSupported(field.child(path, 'fieldPath'), name, allowed));
}

function validateSubscript(found: Findings, fieldPath: string, path: string): void {
  const [, map = '', key = ''] = SUBSCRIPTED.exec(fieldPath) ?? [];
  if (map === 'metadata.annotations') {
    const lower = key.toLowerCase();
    addTexts(found, path, lower, qualifiedNameProblems(lower));
  } else if (map === 'metadata.labels') addTexts(found, path, key, qualifiedNameProblems(key));
  else unconvertible(found, fieldPath, `field label does not support subscript: ${fieldPath}`, path);
}

export function validateResourceFieldRef(
  found: Findings,
  reference: Partial<ResourceFieldSelector>,
  inVolume: boolean,
  path: string,
): void {
  const { containerName, resource = '', divisor } = reference;
  if (inVolume && !containerName) found.push(required(field.child(path, 'containerName'), ''));
  else if (resource === '') found.push(required(field.child(path, 'resource'), ''));
  else if (!RESOURCE_FIELDS.includes(resource) && !isHugePagesField(resource)) {
    found.push(notSupported(field.child(path, 'resource'), resource, RESOURCE_FIELDS));
  }
  if (divisor !== undefined && !isZero(divisor)) validateDivisor(found, resource, amountText(divisor), path);
}

const isHugePagesField = (resource: string): boolean =>
  resource.startsWith('requests.hugepages-') || resource.startsWith('limits.hugepages-');

const BYTE_DIVISORS = '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei';
const BYTE_DIVISOR_SET: ReadonlySet<string> = new Set(BYTE_DIVISORS.split(', '));

function validateDivisor(found: Findings, resource: string, divisor: string, path: string): void {
  const at = field.child(path, 'divisor');
  const kind = isHugePagesField(resource) ? 'hugepages' : resource.slice(resource.indexOf('.') + 1);
  if (kind === 'hugepages' || RESOURCE_FIELDS.includes(resource)) {
    if (kind === 'cpu') {
      if (divisor !== '1m' && divisor !== '1') {
        found.push(invalid(at, resource, "only divisor's values 1m and 1 are supported with the cpu resource"));
      }
    } else if (!BYTE_DIVISOR_SET.has(divisor)) {
      const name = kind === 'ephemeral-storage' ? 'local ephemeral storage' : kind;
      found.push(
        invalid(at, resource, `only divisor's values ${BYTE_DIVISORS} are supported with the ${name} resource`),
      );
    }
  }
}

/** One file of a downward API volume. Findings stand at the volume, not at the item. */
export function validateDownwardFile(found: Findings, file: Partial<DownwardAPIVolumeFile>, path: string): void {
  const { path: target = '', fieldRef, resourceFieldRef, mode } = file;
  if (target === '') found.push(required(field.child(path, 'path'), ''));
  else validateLocalPath(found, target, field.child(path, 'path'));
  if (fieldRef !== undefined) {
    validateFieldRef(found, fieldRef, FILE_FIELDS, field.child(path, 'fieldRef'));
    if (resourceFieldRef !== undefined) {
      found.push(invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
    }
  } else if (resourceFieldRef !== undefined) {
    validateResourceFieldRef(found, resourceFieldRef, true, field.child(path, 'resourceFieldRef'));
  } else found.push(required(path, 'one of fieldRef and resourceFieldRef is required'));
  validateFileMode(found, mode, field.child(path, 'mode'));
}

export const validateDownwardApi: VolumeRule = (found, { downwardAPI: source }, path) => {
  const at = `${path}.downwardAPI`;
  validateFileMode(found, source?.defaultMode, `${at}.defaultMode`);
  for (const file of listOf(source?.items)) validateDownwardFile(found, file, at);
};
