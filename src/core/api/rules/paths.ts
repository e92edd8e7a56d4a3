/** Rules for paths inside a volume or a node's file system. */
import { invalid } from '../../kube/field-errors.ts';
import type { Findings } from './findings.ts';

const hasBackstep = (path: string): boolean => path.includes('..') && path.split('/').includes('..');

export const isAbsolute = (path: string): boolean => path.startsWith('/');

export function validateNoBacksteps(found: Findings, target: string, path: string): void {
  if (hasBackstep(target)) found.push(invalid(path, target, "must not contain '..'"));
}

/** A relative path that does not leave its directory. */
export function validateDescendingPath(found: Findings, target: string, path: string): void {
  if (isAbsolute(target)) found.push(invalid(path, target, 'must be a relative path'));
  validateNoBacksteps(found, target, path);
}

/** A descending path that does not begin with the two dots which the kubelet's own files begin with. */
export function validateLocalPath(found: Findings, target: string, path: string): void {
  validateDescendingPath(found, target, path);
  if (target.startsWith('..') && !target.startsWith('../')) {
    found.push(invalid(path, target, "must not start with '..'"));
  }
}

export const localPathIsFine = (target: string): boolean =>
  !isAbsolute(target) && !target.startsWith('..') && !hasBackstep(target);

export const pathHasBackstep = hasBackstep;
