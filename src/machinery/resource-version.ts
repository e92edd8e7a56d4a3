/** Resource versions are decimal and grow with every change of a server; those of two servers say nothing together. */

const DECIMAL = /^[1-9][0-9]*$/;

/**
 * Negative, zero or positive as `a` is older than, the same as or newer than `b`; undefined where either is not a
 * plain decimal (then only equality may be asked). Never through a number: versions may outgrow 2^53.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}
