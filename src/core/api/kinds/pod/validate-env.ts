/** Environment variables and where their values come from. */
import { field, invalid, required } from '../../../kube/field-errors.ts';
import { dns1123LabelProblems, nameIsDnsSubdomain } from '../../../kube/names.ts';
import { configMapKeyProblems, relaxedEnvVarNameProblems } from '../../../kube/value-formats.ts';
import type {
  ConfigMapKeySelector,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
} from '../../types/core-v1.ts';
import type { Findings } from '../../rules/findings.ts';
import { addTexts } from '../../rules/findings.ts';
import { validateNoBacksteps } from '../../rules/paths.ts';
import { ENV_FIELDS, validateFieldRef, validateResourceFieldRef } from './validate-downward-api.ts';

export function validateEnv(found: Findings, variables: readonly EnvVar[], path: string): void {
  for (let index = 0; index < variables.length; index++) {
    const { name, value, valueFrom } = variables[index] as EnvVar;
    const texts = name ? relaxedEnvVarNameProblems(name) : undefined;
    if (texts?.length === 0 && valueFrom === undefined) continue;
    const at = field.index(path, index);
    if (texts === undefined) found.push(required(`${at}.name`, ''));
    else addTexts(found, `${at}.name`, name, texts);
    if (valueFrom !== undefined) validateSource(found, valueFrom, value ?? '', `${at}.valueFrom`);
  }
}

const ONE_SOURCE =
  'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';

function validateSource(found: Findings, source: EnvVarSource, value: string, path: string): void {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  let sources = 0;
  if (fieldRef !== undefined) {
    sources++;
    validateFieldRef(found, fieldRef, ENV_FIELDS, `${path}.fieldRef`);
  }
  if (resourceFieldRef !== undefined) {
    sources++;
    validateResourceFieldRef(found, resourceFieldRef, false, `${path}.resourceFieldRef`);
  }
  if (configMapKeyRef !== undefined) {
    sources++;
    validateKeyRef(found, configMapKeyRef, `${path}.configMapKeyRef`);
  }
  if (secretKeyRef !== undefined) {
    sources++;
    validateKeyRef(found, secretKeyRef, `${path}.secretKeyRef`);
  }
  if (fileKeyRef !== undefined) {
    sources++;
    validateFileKeyRef(found, fileKeyRef, `${path}.fileKeyRef`);
  }
  if (sources === 0) found.push(invalid(path, '', ONE_SOURCE));
  else if (value !== '') found.push(invalid(path, '', 'may not be specified when `value` is not empty'));
  else if (sources > 1) found.push(invalid(path, '', 'may not have more than one field specified at a time'));
}

/** Config maps and secrets follow one rule. */
function validateKeyRef(found: Findings, { name = '', key }: ConfigMapKeySelector, path: string): void {
  addTexts(found, `${path}.name`, name, nameIsDnsSubdomain(name, false));
  if (!key) found.push(required(`${path}.key`, ''));
  else addTexts(found, `${path}.key`, key, configMapKeyProblems(key));
}

function validateFileKeyRef(found: Findings, reference: FileKeySelector, path: string): void {
  const { key, volumeName, path: target } = reference;
  if (!key) found.push(required(`${path}.key`, ''));
  else addTexts(found, `${path}.key`, key, relaxedEnvVarNameProblems(key));
  if (!volumeName) found.push(required(`${path}.volumeName`, ''));
  else addTexts(found, `${path}.volumeName`, volumeName, dns1123LabelProblems(volumeName));
  if (!target) found.push(required(`${path}.path`, ''));
  else validateNoBacksteps(found, target, `${path}.path`);
}

export function validateEnvFrom(found: Findings, sources: readonly EnvFromSource[], path: string): void {
  for (const [index, { prefix, configMapRef, secretRef }] of sources.entries()) {
    const at = field.index(path, index);
    if (prefix) addTexts(found, `${at}.prefix`, prefix, relaxedEnvVarNameProblems(prefix));
    if (configMapRef !== undefined) validateSourceName(found, configMapRef.name, `${at}.configMapRef.name`);
    if (secretRef !== undefined) validateSourceName(found, secretRef.name, `${at}.secretRef.name`);
    if (configMapRef === undefined && secretRef === undefined) {
      found.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      found.push(invalid(path, '', 'may not have more than one field specified at a time'));
    }
  }
}

function validateSourceName(found: Findings, name: string | undefined, path: string): void {
  if (!name) found.push(required(path, ''));
  else addTexts(found, path, name, nameIsDnsSubdomain(name, true));
}
