/** The shape in which a part of the library offers its functions. */
import type { CelValue, Val } from './values.ts';

/** Arguments that are not there are null. */
export type Fn = (a: CelValue, b: CelValue, c: CelValue, d: CelValue) => Val;

export type FunctionTable = readonly (readonly [overload: string, fn: Fn])[];
