/** Types that the parts of the language share. */
import type { DeclType } from './decl-types.ts';

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
