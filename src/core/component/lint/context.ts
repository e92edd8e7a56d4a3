/** What lints look at, and how they speak. */
import type { DaemonSet } from '../../api/types/apps-v1.ts';
import type { PodSpec } from '../../api/types/core-v1.ts';
import type { Component } from '../../api/component/types.ts';
import type { PathStep } from '../trace.ts';
import type { Rendered } from '../render/render.ts';
import type { LintRule } from './rules.ts';

/** What stands against a pod at a level of the Pod Security Standards; nothing when it may come in. */
type PodSecurityEvaluator = (
  level: { readonly level: PodSecurityLevel; readonly version: number },
  annotations: { readonly [key: string]: string } | undefined,
  spec: PodSpec,
) => readonly { readonly reason: string; readonly detail: string }[];

type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted';

export interface LintOptions {
  /** Judges pods as an API server does. Without it Pod Security is not looked at. */
  readonly podSecurity?: PodSecurityEvaluator;
  /** Labels of the namespace, where it exists. */
  readonly namespaceLabels?: { readonly [key: string]: string };
  /** Other daemons of the cluster, or of the same change. */
  readonly otherDaemons?: readonly DaemonSet[];
  /** Secrets and ConfigMaps that its pods name and that are not in the cluster, in words. */
  readonly missing?: readonly { readonly name: string; readonly text: string }[];
}

export interface LintContext extends LintOptions {
  readonly component: Component;
  readonly rendered: Rendered;
  report(rule: LintRule, path: readonly PathStep[], message: string, suggestion?: string): void;
}

export type Lint = (context: LintContext) => void;
