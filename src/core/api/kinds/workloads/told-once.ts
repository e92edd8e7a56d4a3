/** Warnings of workloads: about the name only on create, about the spec on create and whenever the spec changed. */
import type { KubeObject } from '../../../kube/objects.ts';

type Warnings = readonly string[];

export function createdOrChanged<T extends KubeObject>(
  object: T,
  old: T | undefined,
  ofName: (name: string) => Warnings,
  ofSpec: () => Warnings,
): Warnings {
  if (old === undefined) return [...ofName(object.metadata.name), ...ofSpec()];
  return object.metadata.generation === old.metadata.generation ? [] : ofSpec();
}

/** For kinds whose names do not end up in names of pods. */
export const noNameWarnings = (): Warnings => [];
