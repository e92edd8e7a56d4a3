/** What the parts of the language share. */
import type { DeclType } from './decl-types.ts';

export interface CelIssue {
  readonly message: string;
  /** Line counts from 1, column (in code points) from 0. */
  readonly line: number;
  readonly column: number;
}

/** Costs are estimates; above 2^53 they are not exact, and they stop at 2^64. */
export interface CelCost {
  readonly min: number;
  readonly max: number;
}

export interface CelEnvironment {
  readonly variables: ReadonlyMap<string, DeclType>;
  /** Object types by the name the checker knows them by. */
  readonly objectTypes: ReadonlyMap<string, DeclType>;
  readonly jsonPatch?: boolean;
  readonly reservedFields?: boolean;
}
