/** A fault that rendering found, with its path in the component. */
import type { Fault } from '../read/scalars.ts';
import type { PathStep } from '../trace.ts';

export interface Finding {
  readonly path: readonly PathStep[];
  readonly fault: Fault;
}

export type Findings = Finding[];
