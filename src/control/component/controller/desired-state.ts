/** The desired state of a custom resource: its rendered objects, or the problems that keep it from being rendered. Pure. */
import { COMPONENT_KIND } from '../../../core/api/component/generations.ts';
import type { Component } from '../../../core/api/component/types.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { judge } from '../admission/judge.ts';
import { readObject } from '../../../core/component/load/load.ts';
import type { Problem } from '../../../core/component/problem.ts';
import type { ReadComponent } from '../../../core/component/read/read-component.ts';
import { referencesIn } from '../../../core/component/references/places.ts';
import { resolveReferences } from '../../../core/component/references/resolve.ts';
import type { Rendered } from '../../../core/component/render/render.ts';
import { checkComponent } from '../../../core/component/validate/check-component.ts';
import type { ComponentObject } from './component-object.ts';

export type DesiredState =
  | { readonly is: 'invalid'; readonly problems: readonly Problem[]; readonly dependencies: readonly string[] }
  /** The only problems are references to components that do not exist or cannot be read; that may change without this one. */
  | { readonly is: 'unresolved'; readonly problems: readonly Problem[]; readonly dependencies: readonly string[] }
  | {
      readonly is: 'valid';
      readonly component: Component;
      readonly rendered: Rendered;
      /** Names of the components that this one refers to, directly or through others; they are applied first. */
      readonly dependencies: readonly string[];
    };

/** Finds a component of the same namespace by name. References never cross namespaces. */
export type FindComponent = (name: string) => Stored<ComponentObject> | undefined;

export function desiredStateOf(object: Stored<ComponentObject>, find: FindComponent): DesiredState {
  const own = readAs(object);
  const verdict = judge(own);
  if (verdict.problems.length > 0) return { is: 'invalid', problems: verdict.problems, dependencies: [] };
  const { reads, dependencies } = closureOf(own, find);
  const resolved = resolveReferences(reads);
  const { file } = own.document;
  const cycles = resolved.problems.filter(({ code }) => code === 'EN_COMPONENT_CYCLE');
  if (cycles.length > 0) return { is: 'invalid', problems: cycles, dependencies };
  const unresolved = resolved.problems.filter(({ place }) => place.file === file).map(inCluster(object));
  if (unresolved.length > 0) return { is: 'unresolved', problems: unresolved, dependencies };
  const read = resolved.components.find(({ document }) => document.file === file) ?? own;
  const { rendered, problems } = checkComponent(read);
  if (problems.length > 0) return { is: 'invalid', problems, dependencies };
  return { is: 'valid', component: read.component, rendered, dependencies };
}

const readAs = (object: Stored<ComponentObject>): ReadComponent =>
  readObject(object, `${object.metadata.namespace ?? ''}/${object.metadata.name}`);

const namesIn = ({ component }: ReadComponent): readonly string[] =>
  referencesIn(component)
    .filter(({ kind }) => kind === COMPONENT_KIND)
    .map(({ reference }) => reference.name);

/** The component and all that it refers to, directly or through others. One that cannot be read counts as absent. */
function closureOf(
  own: ReadComponent,
  find: FindComponent,
): { readonly reads: readonly ReadComponent[]; readonly dependencies: readonly string[] } {
  const { name } = own.component.metadata;
  const reads = new Map<string, ReadComponent>([[name, own]]);
  const dependencies = new Set<string>();
  const open = [...namesIn(own)];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next !== name) dependencies.add(next);
    if (reads.has(next)) continue;
    const object = find(next);
    const read = object === undefined ? undefined : readAs(object);
    if (read === undefined || read.problems.length > 0) continue;
    reads.set(next, read);
    open.push(...namesIn(read));
  }
  return { reads: [...reads.values()], dependencies: [...dependencies].toSorted() };
}

const inCluster =
  ({ metadata: { namespace = '' } }: ComponentObject) =>
  ({ suggestion: _suggestion, ...problem }: Problem): Problem => ({
    ...problem,
    message: problem.message.replace('is not among the documents', `is not in namespace ${namespace}, or not readable`),
  });
