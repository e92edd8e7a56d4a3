/** What rendering finds wrong: a fault, and the path of the component it concerns. */
import type { Fault } from '../read/scalars.ts';
import type { PathStep } from '../trace.ts';

export interface Finding {
  readonly path: readonly PathStep[];
  readonly fault: Fault;
}

export type Findings = Finding[];
