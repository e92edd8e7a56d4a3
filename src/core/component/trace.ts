/**
 * Where each part of a component was written. The component itself is in one normal form; a trace leads from a path in it
 * back to the author's spelling and place.
 */
import type { Place } from './problem.ts';
import { placeOf, type SourceDocument } from './source.ts';

export type PathStep = string | number;

export interface Trace {
  /** The author's path, such as `spec.container.app.volume_mounts[0]`. */
  readonly parent: Trace | undefined;
  readonly step: PathStep;
  readonly at: number;
  children: Map<PathStep, Trace> | undefined;
}

/** The step to something that the author wrote in a short form, without its key. */
export const IMPLIED = '';

export const rootTrace = (at: number): Trace => ({ parent: undefined, step: '', at, children: undefined });

export function childTrace(parent: Trace, name: PathStep, step: PathStep, at: number): Trace {
  const child: Trace = { parent, step, at, children: undefined };
  (parent.children ??= new Map()).set(name, child);
  return child;
}

const SIMPLE = /^[A-Za-z_][A-Za-z0-9_-]*$/;

export function pathText(steps: readonly PathStep[]): string {
  let text = '';
  for (const step of steps) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (SIMPLE.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** `a.b[0]["c.d"]` as its steps. */
export function pathSteps(path: string): readonly PathStep[] {
  const steps: PathStep[] = [];
  for (const match of path.matchAll(/\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\[([^\]]*)\]|([^.[\]]+)/g)) {
    if (match[1] !== undefined) steps.push(Number(match[1]));
    else steps.push(match[2] ?? match[3] ?? match[4] ?? '');
  }
  return steps;
}

function stepsTo(trace: Trace): PathStep[] {
  const steps: PathStep[] = [];
  for (let at: Trace | undefined = trace; at?.parent !== undefined; at = at.parent) {
    if (at.step !== IMPLIED) steps.unshift(at.step);
  }
  return steps;
}

export interface Located {
  readonly path: string;
  readonly place: Place;
}

/** The author's path and place of a trace. */
export const located = (document: SourceDocument, trace: Trace): Located => ({
  path: pathText(stepsTo(trace)),
  place: placeOf(document, trace.at),
});

/** The author's path and place of a part of the component; of what was never written, the nearest thing around it. */
export function locate(document: SourceDocument, root: Trace, path: readonly PathStep[]): Located {
  let trace = root;
  let depth = 0;
  while (depth < path.length) {
    const next = trace.children?.get(path[depth] ?? '');
    if (next === undefined) break;
    trace = next;
    depth += 1;
  }
  return { path: pathText([...stepsTo(trace), ...path.slice(depth)]), place: placeOf(document, trace.at) };
}
