/**
 * Objects as Go writes them, where that is not how they are kept: an unset time is `null`, and so is an empty list or
 * map that is always written; one that is only required is left out. Only readers of the JSON see this form.
 */
import { setOwn } from '../../kube/immutable.ts';
import type { Scalar } from './parse-facts.ts';
import { type FieldSchema, findTypeSchema, type TypeSchema, typeSchema } from './type-schema.ts';
import { isEmpty } from './zero-value.ts';

type Bag = { readonly [key: string]: unknown };
export type GoForm = (value: object) => object;

/** A member whose value has a plan of its own: a struct, each item of a list, or each value of a map. */
interface Below {
  readonly name: string;
  readonly many: boolean;
  readonly plan: Plan;
}

interface Plan {
  /** Null where absent: times, and pointers that are always written. */
  readonly times: readonly string[];
  /** Null where absent or empty. */
  readonly empty: readonly string[];
  /** Left out where empty. */
  readonly omitted: readonly string[];
  below: readonly Below[];
}

const TIMES: ReadonlySet<Scalar> = new Set<Scalar>(['time', 'microtime']);
const plans = new Map<string, Plan>();
const useful = new Map<Plan, boolean>();

const isTime = ({ omitZero, pointer, type }: FieldSchema): boolean =>
  !omitZero && !pointer && type.kind === 'scalar' && TIMES.has(type.scalar);
const isCollection = ({ pointer, type }: FieldSchema): boolean =>
  !pointer && (type.kind === 'list' || type.kind === 'map');

function planOf(schema: TypeSchema): Plan {
  const known = plans.get(schema.name);
  if (known !== undefined) return known;
  const names = (wanted: (field: FieldSchema) => boolean): readonly string[] =>
    schema.fields.filter(wanted).map(({ name }) => name);
  const plan: Plan = {
    times: names((field) => isTime(field) || (field.pointer && field.always)),
    empty: names((field) => isCollection(field) && field.always),
    omitted: names((field) => isCollection(field) && !field.always && field.required),
    below: [],
  };
  // Registered before its members are planned, because a type may contain itself.
  plans.set(schema.name, plan);
  plan.below = schema.fields.flatMap(({ name, type }): readonly Below[] => {
    const inner = type.kind === 'list' ? type.element : type.kind === 'map' ? type.value : type;
    return inner.kind === 'object' ? [{ name, many: inner !== type, plan: planOf(typeSchema(inner.name)) }] : [];
  });
  return plan;
}

/** Whether anything in a plan or below it can differ from the stored form. */
function isUseful(plan: Plan, above: ReadonlySet<Plan> = new Set()): boolean {
  const known = useful.get(plan);
  if (known !== undefined) return known;
  if (above.has(plan)) return false;
  const path = new Set([...above, plan]);
  const own = plan.times.length + plan.empty.length + plan.omitted.length > 0;
  const answer = own || plan.below.some((each) => isUseful(each.plan, path));
  // Inside a cycle of types the answer holds only for the whole cycle.
  if (answer || above.size === 0) useful.set(plan, answer);
  return answer;
}

function pruned(plan: Plan, seen: Set<Plan>): void {
  if (seen.has(plan)) return;
  seen.add(plan);
  plan.below = plan.below.filter((each) => isUseful(each.plan));
  for (const { plan: inner } of plan.below) pruned(inner, seen);
}

/** The function for a type by the name of its schema; undefined where everything is written as it is kept. */
export function goForm(schema: string): GoForm | undefined {
  const found = findTypeSchema(schema);
  if (found === undefined) return undefined;
  const plan = planOf(found);
  if (!isUseful(plan)) return undefined;
  pruned(plan, new Set());
  return (value) => written(plan, value);
}

/** Without closures and iterators: every object that is sent passes here. */
function written({ below, empty, omitted, times }: Plan, value: object): object {
  const bag = value as Bag;
  let copy: { [key: string]: unknown } | undefined;
  for (let i = 0; i < times.length; i++) {
    const name = times[i] as string;
    if (bag[name] === undefined) (copy ??= { ...bag })[name] = null;
  }
  for (let i = 0; i < empty.length; i++) {
    const name = empty[i] as string;
    const member = bag[name];
    if (member === undefined || (member !== null && isEmpty(member))) (copy ??= { ...bag })[name] = null;
  }
  for (let i = 0; i < omitted.length; i++) {
    const name = omitted[i] as string;
    if (bag[name] !== undefined && isEmpty(bag[name])) delete (copy ??= { ...bag })[name];
  }
  for (let i = 0; i < below.length; i++) {
    const { many, name, plan } = below[i] as Below;
    const member = bag[name];
    if (typeof member !== 'object' || member === null) continue;
    const next = many ? writtenEach(plan, member) : written(plan, member);
    if (next !== member) (copy ??= { ...bag })[name] = next;
  }
  return copy ?? value;
}

function writtenEach(plan: Plan, members: object): object {
  if (Array.isArray(members)) {
    const items = members as readonly unknown[];
    let copy: unknown[] | undefined;
    for (let i = 0; i < items.length; i++) {
      const next = writtenOne(plan, items[i]);
      if (next !== items[i]) (copy ??= [...items])[i] = next;
    }
    return copy ?? members;
  }
  let copy: { [key: string]: unknown } | undefined;
  for (const key of Object.keys(members)) {
    const next = writtenOne(plan, (members as Bag)[key]);
    if (next !== (members as Bag)[key]) setOwn((copy ??= { ...members }), key, next);
  }
  return copy ?? members;
}

const writtenOne = (plan: Plan, member: unknown): unknown =>
  typeof member === 'object' && member !== null ? written(plan, member) : member;
