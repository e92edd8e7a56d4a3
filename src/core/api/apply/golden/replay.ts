/** Replays a history of writes that upstream's field manager went through, and tells where ours differs. */
import { deepEqual } from '../../../kube/immutable.ts';
import { encodeGoJson, type Json } from '../../../kube/json.ts';
import { applyConfiguration } from '../apply.ts';
import { conflictError } from '../conflict-error.ts';
import { encodeFields } from '../fields-v1.ts';
import type { ManagedFields } from '../managed.ts';
import { trackUpdate, type Write } from '../managers.ts';
import { type Shape, shapeOf } from '../shape.ts';
import { toFieldSet } from '../to-field-set.ts';
import { joinErrors, validateConfiguration } from '../validate.ts';

export interface History {
  readonly kind: string;
  readonly apiVersion: string;
  readonly steps: readonly Step[];
}

interface Step {
  readonly op: 'apply' | 'update';
  readonly manager: string;
  readonly force?: boolean;
  readonly object: Json;
  readonly error?: string;
  readonly causes?: readonly string[];
  readonly live?: Json;
  /** Every field of the object, as structured-merge-diff writes them. */
  readonly fields?: string;
  /** Manager, operation and the text of its fields. */
  readonly managed?: readonly (readonly [string, string, string])[];
}

const SCHEMAS: { readonly [kind: string]: string } = {
  Deployment: 'apps/v1.Deployment',
  Pod: 'core/v1.Pod',
  ConfigMap: 'core/v1.ConfigMap',
  Service: 'core/v1.Service',
  CustomResourceDefinition: 'apiextensions/v1.CustomResourceDefinition',
};

interface Outcome {
  readonly error?: string;
  readonly causes?: readonly string[];
  readonly live: Json;
  readonly managed: ManagedFields;
}

export function replay(history: History): readonly string[] {
  const shape = shapeOf(SCHEMAS[history.kind] ?? '');
  const blank: Json = { apiVersion: history.apiVersion, kind: history.kind };
  let state: Outcome = { live: blank, managed: [] };
  const differences: string[] = [];
  history.steps.forEach((step, index) => {
    const write: Write = {
      shape,
      apiVersion: history.apiVersion,
      manager: step.manager,
      subresource: '',
      now: '2026-01-01T00:00:00Z',
      reset: undefined,
      convert: (value) => ({ shape, value }),
    };
    state = step.op === 'apply' ? applied(state, step, write, blank) : updated(state, step, write);
    for (const difference of compareOutcome(shape, step, state)) differences.push(`step ${index}: ${difference}`);
  });
  return differences;
}

const updated = (state: Outcome, step: Step, write: Write): Outcome => ({
  live: step.object,
  managed: trackUpdate(state.managed, write, state.live, step.object),
});

function applied({ live, managed }: Outcome, step: Step, write: Write, blank: Json): Outcome {
  const errors = validateConfiguration(write.shape, step.object);
  if (errors.length > 0) return { error: joinErrors(errors), live, managed };
  const outcome = applyConfiguration(managed, { ...write, force: step.force === true, blank }, live, step.object);
  if (outcome.type === 'applied') return { live: outcome.value, managed: outcome.managed };
  const error = conflictError(outcome.conflicts);
  const causes = error.status.details?.causes?.map(({ field, message }) => `${message} | ${field}`) ?? [];
  return { error: error.message, causes, live, managed };
}

function compareOutcome(shape: Shape, step: Step, { causes, error, live, managed }: Outcome): readonly string[] {
  if (step.error !== undefined) {
    const found: string[] = [];
    const isList = step.error.includes('errors:\n');
    if (isList ? error === undefined : !step.error.endsWith(error ?? '-')) found.push(`error ${step.error} ≠ ${error}`);
    if (!deepEqual(step.causes?.toSorted(), causes?.toSorted())) {
      found.push(`causes ${JSON.stringify(step.causes)} ≠ ${JSON.stringify(causes)}`);
    }
    return found;
  }
  if (error !== undefined) return [`unexpected error ${error}`];
  const found: string[] = [];
  if (!deepEqual(live, step.live)) found.push(`live\n${JSON.stringify(step.live)}\n${JSON.stringify(live)}`);
  // Upstream's test manager keeps owners in maps, which forget the order of fields; `fields` is for that.
  const sorted = (entries: readonly (readonly string[])[]): string =>
    entries
      .map(([manager, operation, fields = '{}']) =>
        [manager, operation, encodeGoJson(JSON.parse(fields) as Json, { sortKeys: true })].join(' '),
      )
      .toSorted()
      .join('\n');
  const owners = sorted(managed.map(({ manager, operation, set }) => [manager, operation, encodeFields(set)]));
  const expected = sorted(step.managed ?? []);
  if (owners !== expected) found.push(`owners\n${expected}\n≠\n${owners}`);
  if (step.fields !== undefined) {
    const fields = encodeFields(toFieldSet(shape, step.object));
    if (fields !== step.fields) found.push(`fields\n${step.fields}\n≠\n${fields}`);
  }
  return found;
}
