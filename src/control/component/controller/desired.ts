/** What a custom resource stands for, or why that cannot be said. Pure. */
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

export type Desired =
  | { readonly is: 'invalid'; readonly problems: readonly Problem[]; readonly needs: readonly string[] }
  /** All that is wrong is that others are not there, which may change without the component. */
  | { readonly is: 'lacking'; readonly problems: readonly Problem[]; readonly needs: readonly string[] }
  | {
      readonly is: 'wanted';
      readonly component: Component;
      readonly rendered: Rendered;
      /** Names of the components it takes something from, directly or through others; they come first. */
      readonly needs: readonly string[];
    };

/** Others of the same namespace, by name. What a component says is nobody's business elsewhere. */
export type Others = (name: string) => Stored<ComponentObject> | undefined;

export function desiredOf(object: Stored<ComponentObject>, others: Others): Desired {
  const own = readAs(object);
  const verdict = judge(own);
  if (verdict.problems.length > 0) return { is: 'invalid', problems: verdict.problems, needs: [] };
  const { reads, needs } = closureOf(own, others);
  const resolved = resolveReferences(reads);
  const { file } = own.document;
  const cycles = resolved.problems.filter(({ code }) => code === 'EN_COMPONENT_CYCLE');
  if (cycles.length > 0) return { is: 'invalid', problems: cycles, needs };
  const open = resolved.problems.filter(({ place }) => place.file === file).map(inCluster(object));
  if (open.length > 0) return { is: 'lacking', problems: open, needs };
  const read = resolved.components.find(({ document }) => document.file === file) ?? own;
  const { rendered, problems } = checkComponent(read);
  if (problems.length > 0) return { is: 'invalid', problems, needs };
  return { is: 'wanted', component: read.component, rendered, needs };
}

const readAs = (object: Stored<ComponentObject>): ReadComponent =>
  readObject(object, `${object.metadata.namespace ?? ''}/${object.metadata.name}`);

const namesIn = ({ component }: ReadComponent): readonly string[] =>
  referencesIn(component)
    .filter(({ kind }) => kind === COMPONENT_KIND)
    .map(({ reference }) => reference.name);

/** It, and all that it takes something from, and what those do. One that cannot be read counts as not there. */
function closureOf(
  own: ReadComponent,
  others: Others,
): { readonly reads: readonly ReadComponent[]; readonly needs: readonly string[] } {
  const { name } = own.component.metadata;
  const reads = new Map<string, ReadComponent>([[name, own]]);
  const needs = new Set<string>();
  const open = [...namesIn(own)];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next !== name) needs.add(next);
    if (reads.has(next)) continue;
    const object = others(next);
    const read = object === undefined ? undefined : readAs(object);
    if (read === undefined || read.problems.length > 0) continue;
    reads.set(next, read);
    open.push(...namesIn(read));
  }
  return { reads: [...reads.values()], needs: [...needs].toSorted() };
}

const inCluster =
  ({ metadata: { namespace = '' } }: ComponentObject) =>
  ({ suggestion: _suggestion, ...problem }: Problem): Problem => ({
    ...problem,
    message: problem.message.replace('is not among the documents', `is not in namespace ${namespace}, or not readable`),
  });
