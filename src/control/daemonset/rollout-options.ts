/**
 * Rollout options that users set by annotations. A value that cannot be read holds the rollout: better to wait than to
 * guess. An unknown name holds nothing, since a later release or another tool may know it; an event reports it, for
 * most are misspelt.
 */
import { ROLLOUT_ANNOTATIONS as ANNOTATION } from '../../core/api/names.ts';
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import { parseGoDuration } from '../../core/kube/go-duration.ts';
import { type IntOrString, percentOf } from '../../core/kube/int-or-string.ts';
import { type Labels, labelOf } from '../../core/kube/labels.ts';
import { qualifiedNameProblems } from '../../core/kube/names.ts';
import { nearest } from '../../core/kube/nearest-word.ts';
import { compileOverrides, type Override } from './resource-overrides.ts';

export interface RolloutOptions {
  readonly paused: boolean;
  readonly partition: IntOrString | undefined;
  readonly canary: IntOrString | undefined;
  readonly canaryForMs: number | undefined;
  /** The revision's number. */
  readonly canaryApproved: number | undefined;
  readonly stopAfterCrashes: number | undefined;
  readonly maxRestarts: number;
  readonly ignoreDownNodes: boolean;
  readonly orderBy: string | undefined;
  readonly driver: boolean;
  readonly driverMaxUnavailable: IntOrString;
  readonly conditions: boolean;
  readonly overrides: readonly Override[];
  /** Why annotations could not be read, for people. */
  readonly problems: readonly string[];
  /** Unknown annotations that look like these, for people. */
  readonly unknown: readonly string[];
}

const DEFAULT_MAX_RESTARTS = 5;

const NO_OPTIONS: RolloutOptions = Object.freeze({
  paused: false,
  partition: undefined,
  canary: undefined,
  canaryForMs: undefined,
  canaryApproved: undefined,
  stopAfterCrashes: undefined,
  maxRestarts: DEFAULT_MAX_RESTARTS,
  ignoreDownNodes: false,
  orderBy: undefined,
  driver: false,
  driverMaxUnavailable: 1,
  conditions: false,
  overrides: Object.freeze([]),
  problems: Object.freeze([]),
  unknown: Object.freeze([]),
});

const PREFIX = 'everynode.dev/';
const ROLLOUT_PREFIX = `${PREFIX}rollout-`;
const KNOWN: readonly string[] = Object.values(ANNOTATION);
const SHORT_NAMES: readonly string[] = KNOWN.map((name) => name.slice(PREFIX.length));
/** Upper bound on reported unknown annotations: more would say nothing more. */
const MOST_UNKNOWN = 5;

const read = new WeakMap<Labels, RolloutOptions>();

export function rolloutOptions(set: DaemonSet): RolloutOptions {
  const { annotations } = set.metadata;
  if (annotations === undefined) return NO_OPTIONS;
  let options = read.get(annotations);
  if (options === undefined) read.set(annotations, (options = parse(annotations)));
  return options;
}

function parse(annotations: Labels): RolloutOptions {
  const ours = Object.keys(annotations).filter((key) => key.startsWith(PREFIX));
  if (ours.length === 0) return NO_OPTIONS;
  const problems: string[] = [];
  const value = <T>(name: string, expected: string, reader: (text: string) => T | undefined): T | undefined => {
    const text = labelOf(annotations, name);
    const result = text === undefined ? undefined : reader(text.trim());
    if (text !== undefined && result === undefined)
      problems.push(`${name}: ${JSON.stringify(text.slice(0, 100))} is not ${expected}`);
    return result;
  };
  const flag = (name: string): boolean => value(name, 'true or false', readFlag) ?? false;
  const amount = (name: string): IntOrString | undefined => value(name, 'a number or a percentage', readAmount);
  const count = (name: string): number | undefined => value(name, 'a whole number', readCount);

  const canary = amount(ANNOTATION.canary);
  const overrides = value(ANNOTATION.resourceOverrides, 'a list of overrides in JSON', (text) => {
    const result = compileOverrides(text);
    if (result.problem !== undefined) problems.push(`${ANNOTATION.resourceOverrides}: ${result.problem}`);
    return result.overrides;
  });
  return {
    paused: flag(ANNOTATION.paused),
    partition: amount(ANNOTATION.partition),
    canary,
    canaryForMs: value(ANNOTATION.canaryFor, 'a duration such as 10m', readDuration),
    canaryApproved: count(ANNOTATION.canaryApproved),
    stopAfterCrashes:
      value(ANNOTATION.stopAfterCrashes, 'a whole number above zero', readPositive) ??
      (canary === undefined ? undefined : 1),
    maxRestarts: count(ANNOTATION.maxRestarts) ?? DEFAULT_MAX_RESTARTS,
    ignoreDownNodes: flag(ANNOTATION.ignoreDownNodes),
    orderBy: value(ANNOTATION.orderBy, 'the key of a label', (text) =>
      qualifiedNameProblems(text).length === 0 ? text : undefined,
    ),
    driver: flag(ANNOTATION.driver),
    driverMaxUnavailable: amount(ANNOTATION.driverMaxUnavailable) ?? 1,
    conditions: flag(ANNOTATION.conditions),
    overrides: overrides ?? [],
    problems,
    unknown: unknownAmong(ours),
  };
}

function unknownAmong(names: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const name of names) {
    if (KNOWN.includes(name)) continue;
    const meant = nearest(name.slice(PREFIX.length), SHORT_NAMES);
    if (meant === undefined && !name.startsWith(ROLLOUT_PREFIX)) continue;
    const hint = meant === undefined ? '' : `; did you mean ${PREFIX}${meant}?`;
    found.push(`${name} is not known and does nothing${hint}`);
    if (found.length === MOST_UNKNOWN) break;
  }
  return found;
}

const readFlag = (text: string): boolean | undefined => (text === 'true' ? true : text === 'false' ? false : undefined);

const readCount = (text: string): number | undefined => (/^[0-9]{1,9}$/.test(text) ? Number(text) : undefined);

/** 0 is refused: it could mean that a rollout stops at once, or never. */
const readPositive = (text: string): number | undefined => readCount(text) || undefined;

function readAmount(text: string): IntOrString | undefined {
  const percent = percentOf(text);
  if (percent !== undefined) return percent <= 100 ? text : undefined;
  return readCount(text);
}

function readDuration(text: string): number | undefined {
  const ms = parseGoDuration(text);
  return ms === undefined || ms < 0 ? undefined : ms;
}
