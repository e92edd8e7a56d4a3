/**
 * `valueFrom`: a field of one component in another. References are resolved here, among the documents given together;
 * what is not among them may be looked up elsewhere by a port. Components come out in the order they must be applied in.
 */
import { SecretText } from '../../api/component/secret-text.ts';
import { snakeCase } from '../../api/component/language.ts';
import type { Component, Reference } from '../../api/component/types.ts';
import { componentOutputs } from '../render/outputs.ts';
import type { Problem } from '../problem.ts';
import { problemAt, type ReadComponent } from '../read/read-component.ts';
import type { SourceNode } from '../../kube/yaml/source-node.ts';
import type { Mode } from '../render/mode.ts';
import { dependencyOrder } from './graph.ts';
import { type Place, referencesIn, withTexts } from './places.ts';

/** A document of another kind: nothing is rendered of it, but it may be referred to. */
export interface OtherDocument {
  readonly kind: string;
  readonly name: string;
  readonly env: string | undefined;
  readonly root: SourceNode;
}

export interface ReferenceOptions {
  readonly mode?: Mode;
  /** For a component that is not among the documents: the text of that field, if it is known. */
  lookUp?(reference: Required<Omit<Reference, 'env'>> & Pick<Reference, 'env'>): string | undefined;
}

export interface ResolvedReferences {
  /** In the order of apply: components that others need come first. */
  readonly components: readonly ReadComponent[];
  readonly problems: readonly Problem[];
}

const KIND = 'KubernetesDaemonSet';

export function resolveReferences(
  reads: readonly ReadComponent[],
  others: readonly OtherDocument[] = [],
  options: ReferenceOptions = {},
): ResolvedReferences {
  const problems: Problem[] = [];
  const index = new Map<string, number>();
  for (const [at, { component }] of reads.entries()) {
    for (const env of [component.metadata.env, undefined]) {
      const key = keyOf(KIND, component.metadata.name, env);
      if (!index.has(key)) index.set(key, at);
    }
  }
  const needs = reads.map(({ component }, own) => {
    const targets = [
      ...referencesIn(component).map(({ kind, reference }) => ({ kind, name: reference.name, env: reference.env })),
      ...(component.metadata.relationships ?? []),
    ];
    const found = targets.flatMap(({ kind, name, env }) => {
      const at = index.get(keyOf(kind, name, env ?? component.metadata.env)) ?? index.get(keyOf(kind, name, env));
      return at === undefined || (at === own && kind !== KIND) ? [] : [at];
    });
    return new Set(found);
  });
  const ordered = dependencyOrder(needs);
  if (ordered.cycle !== undefined) {
    const names = ordered.cycle.map((at) => reads[at]?.component.metadata.name ?? '');
    const first = reads[ordered.cycle[0] ?? 0];
    const message = `components refer to each other in a circle: ${names.join(' -> ')}`;
    if (first !== undefined)
      problems.push(problemAt(first, ['metadata', 'name'], { code: 'EN_COMPONENT_CYCLE', message }));
    return { components: reads, problems };
  }
  const resolved: ReadComponent[] = [];
  const done = new Map<number, Component>();
  for (const at of ordered.order) {
    const read = reads[at];
    if (read === undefined) continue;
    const texts = new Map<string, string>();
    for (const place of referencesIn(read.component)) {
      const answer = textOf(place, read.component, index, done, others, options);
      if (typeof answer === 'string') texts.set(place.path.join('\n'), answer);
      else problems.push(problemAt(read, [...place.path, 'valueFrom'], { code: 'EN_COMPONENT_REFERENCE', ...answer }));
    }
    const component = withTexts(read.component, texts);
    done.set(at, component);
    resolved.push(component === read.component ? read : { ...read, component });
  }
  return { components: resolved, problems };
}

const keyOf = (kind: string, name: string, env: string | undefined): string => `${kind}\n${name}\n${env ?? ''}`;

function textOf(
  { kind, fieldPath, reference }: Place,
  { metadata }: Component,
  index: ReadonlyMap<string, number>,
  done: ReadonlyMap<number, Component>,
  others: readonly OtherDocument[],
  options: ReferenceOptions,
): string | { readonly message: string; readonly suggestion?: string } {
  const { name } = reference;
  const env = reference.env ?? metadata.env;
  if (fieldPath === undefined) {
    return { message: `says no fieldPath of ${kind} ${name}`, suggestion: 'add fieldPath: status.outputs.… or spec.…' };
  }
  // The value would stand in the pod template, or go into a second Secret in base64.
  if (kind === 'Secret') {
    return {
      message: 'cannot take a value out of a Secret',
      suggestion: 'name it under env.secrets: secretRef: {name, key}',
    };
  }
  const own = index.get(keyOf(kind, name, env)) ?? index.get(keyOf(kind, name, undefined));
  const target = own === undefined ? undefined : done.get(own);
  const other = others.find(
    (each) => each.kind === kind && each.name === name && (each.env === undefined || each.env === env),
  );
  const found =
    target === undefined
      ? ((other && textAt(other.root, fieldPath)) ??
        options.lookUp?.({ kind, name, fieldPath, ...(env === undefined ? {} : { env }) }))
      : fieldOf(target, fieldPath, options.mode ?? 'safe');
  if (found !== undefined) return found;
  if (target === undefined && other === undefined) {
    return { message: `${kind} ${name} is not among the documents`, suggestion: 'give its manifest, too' };
  }
  return { message: `${kind} ${name} has no text at ${fieldPath}` };
}

/** A field of a component, in either spelling. Secrets cannot be referred to. */
function fieldOf(component: Component, fieldPath: string, mode: Mode): string | undefined {
  const steps = stepsOf(fieldPath);
  const isOutput = steps[0] === 'status' && steps[1] === 'outputs';
  const root: unknown = isOutput ? componentOutputs(component, mode) : component;
  const value = (isOutput ? steps.slice(2) : steps).reduce<unknown>(member, root);
  // An output is empty where it is itself taken from something that is not there.
  if (value instanceof SecretText || (isOutput && value === '')) return undefined;
  const text = typeof value === 'object' && value !== null ? (value as { readonly value?: unknown }).value : value;
  return typeof text === 'string' || typeof text === 'number' || typeof text === 'boolean' ? String(text) : undefined;
}

const stepsOf = (fieldPath: string): readonly string[] => fieldPath.split('.').filter((step) => step !== '');

function member(value: unknown, step: string): unknown {
  if (typeof value !== 'object' || value === null || value instanceof SecretText) return undefined;
  const key =
    Object.keys(value).find((each) => each === step) ??
    Object.keys(value).find((each) => snakeCase(each) === snakeCase(step));
  return key === undefined ? undefined : (value as { readonly [key: string]: unknown })[key];
}

function textAt(root: SourceNode, fieldPath: string): string | undefined {
  let node: SourceNode | undefined = root;
  for (const step of stepsOf(fieldPath)) {
    if (node?.kind !== 'map') return undefined;
    node = node.entries.find(({ key }) => snakeCase(key) === snakeCase(step))?.value;
  }
  if (node?.kind === 'map') node = node.entries.find(({ key }) => key === 'value')?.value;
  return node?.kind === 'scalar' && node.value !== null ? String(node.value) : undefined;
}
