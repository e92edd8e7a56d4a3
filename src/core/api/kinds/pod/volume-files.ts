/** The signature of volume rules, and the checks that all volume types share: file modes, items, pull policies. */
import { field, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import type { ObjectMeta } from '../../../kube/meta-v1.ts';
import type { KeyToPath, Volume } from '../../types/core-v1.ts';
import type { Findings } from '../../rules/findings.ts';
import { listOf } from '../../rules/findings.ts';
import type { PodOptions } from './options.ts';
import { validateLocalPath } from '../../rules/paths.ts';

export interface VolumeContext {
  readonly options: PodOptions;
  /** Metadata of the pod itself; templates have none. */
  readonly podMeta: ObjectMeta | undefined;
}

export type VolumeRule = (found: Findings, volume: Volume, path: string, context: VolumeContext) => void;

const FILE_MODE_TEXT = 'must be a number between 0 and 0777 (octal), both inclusive';

export function validateFileMode(found: Findings, mode: number | undefined, path: string): void {
  if (mode !== undefined && (mode > 0o777 || mode < 0)) found.push(invalid(path, mode, FILE_MODE_TEXT));
}

function validateKeyToPath(found: Findings, item: KeyToPath, path: string): void {
  if (!item.key) found.push(required(field.child(path, 'key'), ''));
  if (!item.path) found.push(required(field.child(path, 'path'), ''));
  else validateLocalPath(found, item.path, field.child(path, 'path'));
  validateFileMode(found, item.mode, field.child(path, 'mode'));
}

export function validateItems(found: Findings, items: readonly KeyToPath[] | undefined, path: string): void {
  for (const [index, item] of listOf(items).entries()) validateKeyToPath(found, item, field.index(path, index));
}

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];

export function validatePullPolicy(found: Findings, policy: string | undefined, path: string): void {
  if (!policy) found.push(required(path, ''));
  else if (!PULL_POLICIES.includes(policy)) found.push(notSupported(path, policy, PULL_POLICIES));
}
