/**
 * A lint: a manifest that is allowed, and unwise. To add one, write a file in `lints/` that holds its name, level, reason and check,
 * and add it to `LINTS` in `list.ts`; a test fails until a case provokes it. The reference page is generated from the list.
 */
import type { DaemonSet } from '../../../api/types/apps-v1.ts';
import type { PodSpec } from '../../../api/types/core-v1.ts';
import type { Component } from '../../../api/component/types.ts';
import type { Declared } from '../../containers-of.ts';
import type { Rendered } from '../../render/render.ts';
import type { PathStep } from '../../trace.ts';

export type Level = 'error' | 'warning' | 'info';

export interface Lint<Name extends string = string> {
  /** Names the lint in reports and silences it in annotations; never changed. */
  readonly name: Name;
  readonly level: Level;
  /** Why the manifest is unwise, for the reference page. */
  readonly why: string;
  check(context: LintContext): Iterable<Finding>;
}

interface Finding {
  /** The field that is unwise, or the field in which the missing one would stand. */
  readonly path: readonly PathStep[];
  readonly message: string;
  readonly suggestion?: string;
}

export interface LintContext extends LintOptions {
  readonly component: Component;
  /** Every container that the manifest declares. */
  readonly containers: readonly Declared[];
  readonly rendered: Rendered;
  /** Silenced lints by name, with the reason that the author gives; the reason may be empty, the name unknown. */
  readonly silences: ReadonlyMap<string, string>;
  /** Names of all lints. */
  readonly names: ReadonlySet<string>;
}

/** Facts of the surroundings, as far as they are known. */
export interface LintOptions {
  /** Judges pods as an API server does. Without it Pod Security is not checked. */
  readonly podSecurity?: PodSecurityEvaluator;
  /** Labels of the namespace, where it exists. */
  readonly namespaceLabels?: { readonly [key: string]: string };
  /** Other daemons of the cluster, or of the same change. */
  readonly otherDaemons?: readonly DaemonSet[];
  /** Secrets and ConfigMaps that the pods name and that are not in the cluster; `text` says so. */
  readonly missing?: readonly { readonly name: string; readonly text: string }[];
}

/** Objections to a pod at a level of the Pod Security Standards; none when the pod is admitted. */
export type PodSecurityEvaluator = (
  level: { readonly level: PodSecurityLevel; readonly version: number },
  annotations: { readonly [key: string]: string } | undefined,
  spec: PodSpec,
) => readonly { readonly reason: string; readonly detail: string }[];

type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted';

/** Keeps the name as a literal type, so that the list of lints gives the union of names. */
export const defineLint = <const Name extends string>(lint: Lint<Name>): Lint<Name> => lint;
