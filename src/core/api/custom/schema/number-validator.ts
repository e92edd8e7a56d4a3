/**
 * Bounds of numbers. Integers are compared as integers, however large; a bound that the type cannot hold is a finding.
 */
import type { JSONSchemaProps } from '../../types/apiextensions-v1.ts';
import * as findings from './value-findings.ts';

const { goNumber } = findings;

type NumberCheck = (value: number | bigint, path: () => string, found: findings.Finding[]) => void;

const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const INT32 = { min: -(2n ** 31n), max: 2n ** 31n - 1n };
const MAX_FLOAT32 = 3.4028234663852886e38;

/** Whether a value can be held by the type, which `type` and `format` name. */
function fits(value: number | bigint, type: string, format: string): boolean {
  if (type === 'integer') {
    if (typeof value === 'number' && !Number.isInteger(value)) return false;
    const range = format === 'int32' ? INT32 : INT64;
    const whole = BigInt(value);
    return whole >= range.min && whole <= range.max;
  }
  return format !== 'float' || Math.abs(Number(value)) <= MAX_FLOAT32;
}

const isWhole = (value: number | bigint): boolean =>
  typeof value === 'bigint' ? value >= INT64.min && value <= INT64.max : Number.isInteger(value);

/** Go reads a bound for integers by cutting off its fraction. */
const cut = (bound: number | bigint): number | bigint => (typeof bound === 'bigint' ? bound : Math.trunc(bound));

const EPSILON = 1e-9;

/** Whole up to a rounding error. */
function isNearlyWhole(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  if (Number.isInteger(value)) return true;
  const whole = Math.trunc(value);
  return whole !== 0 && Math.abs(value - whole) / (Math.abs(value) + Math.abs(whole)) < EPSILON;
}

export function compileNumber(
  schema: JSONSchemaProps,
  types: readonly string[],
  format: string,
): NumberCheck | undefined {
  const { exclusiveMaximum = false, exclusiveMinimum = false, maximum, minimum, multipleOf } = schema;
  const type = types.length === 1 && (types[0] === 'integer' || types[0] === 'number') ? types[0] : '';
  const known = ['int32', 'int64', 'float', 'double'].includes(format) ? format : '';
  if (type === '' && maximum === undefined && minimum === undefined && multipleOf === undefined) return undefined;

  return (value, path, found) => {
    if (type !== '' && !fits(value, type, known)) found.push(findings.outOfRange(path(), 'Checked', type, known));
    const compared = (bound: number | bigint, what: string): number | bigint => {
      if (type !== '' && !fits(bound, type, known)) {
        found.push(findings.outOfRange(path(), what, type, known));
        return bound;
      }
      return isWhole(value) ? cut(bound) : bound;
    };
    if (multipleOf !== undefined) checkMultiple(value, compared(multipleOf, 'MultipleOf'), path, found);
    if (minimum !== undefined) {
      const bound = compared(minimum, 'Minimum boundary');
      if (exclusiveMinimum ? value <= bound : value < bound) {
        const words = exclusiveMinimum ? 'should be greater than' : 'should be greater than or equal to';
        found.push(findings.simple(path(), value, `${words} ${goNumber(bound)}`));
      }
    }
    if (maximum !== undefined) {
      const bound = compared(maximum, 'Maximum boundary');
      if (exclusiveMaximum ? value >= bound : value > bound) {
        const words = exclusiveMaximum ? 'should be less than' : 'should be less than or equal to';
        found.push(findings.simple(path(), value, `${words} ${goNumber(bound)}`));
      }
    }
  };
}

function checkMultiple(
  value: number | bigint,
  factor: number | bigint,
  path: () => string,
  found: findings.Finding[],
): void {
  if (factor <= 0) {
    found.push(findings.notPositive(path(), Number(factor)));
    return;
  }
  const isMultiple =
    isWhole(value) && isWhole(factor)
      ? BigInt(value) % BigInt(factor) === 0n
      : isNearlyWhole(Number(factor) < 1 ? (1 / Number(factor)) * Number(value) : Number(value) / Number(factor));
  if (!isMultiple) found.push(findings.simple(path(), value, `should be a multiple of ${goNumber(factor)}`));
}
