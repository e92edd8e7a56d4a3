/**
 * The changes of an apply: live objects beside the objects of the dry run, and the objects that would be pruned. Conflicts do not
 * prevent a diff; they are reported beside it.
 */
import type { KubeObject } from '../../../../core/kube/objects.ts';
import { createCalls } from '../calls.ts';
import type { ApplyProblem, FieldConflict } from '../errors.ts';
import { refKey, refText, type ObjectRef } from '../object-ref.ts';
import type { Step } from '../plan.ts';
import type { ApplyContext, RenderedComponent, SecretPath } from '../rendered.ts';
import { createScrubber, maskPair, type Scrubber } from '../secrets.ts';
import { survey, type Survey, type SurveyOptions } from '../survey.ts';
import { comparable, yamlOf } from './comparable.ts';
import { unifiedDiff } from '../../../../core/kube/diff/unified-diff.ts';

export interface DiffOptions extends SurveyOptions {
  readonly context?: number;
}

interface ObjectDiff {
  readonly object: ObjectRef;
  readonly action: Step['action'];
  /** A unified diff; never empty. */
  readonly text: string;
}

export interface ComponentDiff {
  readonly changed: boolean;
  /** In the order in which an apply would go. */
  readonly texts: readonly ObjectDiff[];
  /** Problems for which an apply would not begin. */
  readonly problems: readonly ApplyProblem[];
  readonly conflicts: readonly FieldConflict[];
}

export async function diffComponent(
  context: ApplyContext,
  component: RenderedComponent,
  options: DiffOptions = {},
): Promise<ComponentDiff> {
  const scrubber = createScrubber(component.secretPaths);
  const calls = createCalls(context, scrubber);
  // By force, to see all of it; nothing is written.
  const found = await survey(calls, component, { ...options, force: true });
  const texts: ObjectDiff[] = [];
  for (const step of found.plan.steps) {
    const [before, after] = statesOf(found, step);
    const text = objectDiff(step.ref, before, after, scrubber, component.secretPaths, options.context);
    if (text !== '') texts.push({ object: step.ref, action: step.action, text });
  }
  const { conflicts } = found;
  const isForced = options.force === true || conflicts.length === 0;
  const conflict: ApplyProblem = {
    code: 'EN_COMPONENT_APPLY_CONFLICT',
    message: conflicts
      .map(({ object, field, owner }) => `${refText(object)}: ${field} is owned by ${owner}`)
      .join('; '),
    conflicts,
  };
  const problems = isForced ? found.problems : [...found.problems, conflict];
  return { changed: texts.length > 0, texts, problems, conflicts };
}

function statesOf({ predicted }: Survey, step: Step): readonly [KubeObject | undefined, KubeObject | undefined] {
  switch (step.action) {
    case 'create':
      return [undefined, predicted.get(refKey(step.ref)) ?? step.object];
    case 'apply':
    case 'adopt':
      return [step.live, predicted.get(refKey(step.ref)) ?? step.live];
    case 'recreate':
      return [step.live, step.object];
    case 'prune':
      return [step.live, undefined];
    case 'keep':
    case 'share':
    case 'unchanged':
      return [undefined, undefined];
  }
}

/** The difference of one object, masked; empty where there is none to see. */
function objectDiff(
  ref: ObjectRef,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
  scrubber: Scrubber,
  paths: readonly SecretPath[] | undefined,
  context: number | undefined,
): string {
  const old = before === undefined ? undefined : comparable(before);
  const next = after === undefined ? undefined : comparable(after);
  const [a, b] = maskPair(old, next, paths);
  const text = unifiedDiff(yamlOf(a), yamlOf(b), {
    oldName: `live ${refText(ref)}`,
    newName: `applied ${refText(ref)}`,
    ...(context === undefined ? {} : { context }),
  });
  return scrubber.scrub(text);
}
