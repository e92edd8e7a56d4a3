/** The update strategy, from its two forms. */
import type { ComponentSpec } from '../../api/component/types.ts';
import type { DaemonSetUpdateStrategy, RollingUpdateDaemonSet } from '../../api/types/apps-v1.ts';
import { present, unlessBare } from './present.ts';

export interface Bounds {
  readonly maxUnavailable: number | string | undefined;
  readonly maxSurge: number | string | undefined;
}

export const isZeroBound = (bound: number | string | undefined): boolean =>
  bound === 0 || (typeof bound === 'string' && /^0+%$/.test(bound));

export function boundsOf({ updateStrategy }: ComponentSpec): Bounds {
  const rolling = updateStrategy?.rollingUpdate;
  const maxSurge = rolling?.maxSurge ?? updateStrategy?.maxSurge;
  const said = rolling?.maxUnavailable ?? updateStrategy?.maxUnavailable;
  // Kubernetes' own default of one would forbid the surge that was asked for.
  const surges = maxSurge !== undefined && !isZeroBound(maxSurge);
  return { maxUnavailable: said ?? (surges ? 0 : undefined), maxSurge };
}

/** A rolling update needs no explicit type; absent values are left to Kubernetes' defaults. */
export function strategyOf(spec: ComponentSpec): DaemonSetUpdateStrategy | undefined {
  if (spec.updateStrategy === undefined) return undefined;
  if (spec.updateStrategy.type === 'OnDelete') return { type: 'OnDelete' };
  const rollingUpdate = unlessBare(present<RollingUpdateDaemonSet>({ ...boundsOf(spec) }));
  return { type: 'RollingUpdate', ...(rollingUpdate === undefined ? {} : { rollingUpdate }) };
}
