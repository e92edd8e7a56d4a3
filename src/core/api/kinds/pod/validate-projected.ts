/** Volumes that gather secrets, config maps, fields and tokens under one mount point. */
import { field, forbidden, invalid, required } from '../../../kube/field-errors.ts';
import type { ProjectedVolumeSource, ServiceAccountTokenProjection, VolumeProjection } from '../../types/core-v1.ts';
import type { Findings } from '../../rules/findings.ts';
import { listOf } from '../../rules/findings.ts';
import { validateLocalPath } from '../../rules/paths.ts';
import { validateDownwardFile } from './validate-downward-api.ts';
import type { VolumeContext, VolumeRule } from './volume-files.ts';
import { validateFileMode, validateItems } from './volume-files.ts';

const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;

export const validateProjected: VolumeRule = (found, { projected }, path, context) => {
  const { defaultMode, sources } = projected as ProjectedVolumeSource;
  const at = `${path}.projected`;
  validateFileMode(found, defaultMode, `${at}.defaultMode`);
  const taken = new Set<string>();
  for (const [index, source] of listOf(sources).entries()) {
    validateProjection(found, source, taken, context, at, field.index(`${at}.sources`, index));
  }
};

function validateProjection(
  found: Findings,
  source: VolumeProjection,
  taken: Set<string>,
  context: VolumeContext,
  volumePath: string,
  path: string,
): void {
  const claim = (target: string | undefined, shown: string): void => {
    if (!target) return;
    if (taken.has(target)) found.push(invalid(volumePath, shown, 'conflicting duplicate paths'));
    taken.add(target);
  };
  const { secret, configMap, downwardAPI, serviceAccountToken } = source;
  if (secret !== undefined) {
    if (!secret.name) found.push(required(`${path}.secret.name`, ''));
    validateItems(found, secret.items, `${path}.secret.items`);
    for (const item of listOf(secret.items)) claim(item.path, secret.name ?? '');
  }
  if (configMap !== undefined) {
    if (!configMap.name) found.push(required(`${path}.configMap.name`, ''));
    validateItems(found, configMap.items, `${path}.configMap.items`);
    for (const item of listOf(configMap.items)) claim(item.path, configMap.name ?? '');
  }
  for (const file of listOf(downwardAPI?.items)) {
    validateDownwardFile(found, file, `${path}.downwardAPI`);
    claim(file.path, file.path);
  }
  if (serviceAccountToken !== undefined) validateToken(found, serviceAccountToken, context, volumePath, path);
  const kinds = [secret, configMap, downwardAPI, serviceAccountToken].filter((kind) => kind !== undefined).length;
  if (kinds > 1) found.push(forbidden(path, 'may not specify more than 1 volume type per source'));
}

function validateToken(
  found: Findings,
  token: ServiceAccountTokenProjection,
  { options }: VolumeContext,
  volumePath: string,
  path: string,
): void {
  const seconds = token.expirationSeconds ?? 0;
  const at = `${path}.serviceAccountToken.expirationSeconds`;
  if (seconds < MIN_SECONDS) found.push(invalid(at, seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds > MAX_SECONDS) found.push(invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds'));
  if (!token.path) found.push(required(`${volumePath}.path`, ''));
  else if (!options.allowNonLocalTokenPaths) validateLocalPath(found, token.path, `${volumePath}.path`);
}
