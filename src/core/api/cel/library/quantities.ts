/** Amounts of resources: `quantity('1Gi').isGreaterThan(quantity('500Mi'))`. */
import {
  addQuantities,
  approximateValue,
  compareQuantities,
  parseQuantity,
  QuantityError,
  quantityOf,
  quantityProblem,
  signOf,
  subtractQuantities,
  type Quantity,
} from '../../../kube/quantity.ts';
import type { Fn, FunctionTable } from '../values/function-table.ts';
import { MAX_INT64, MIN_INT64 } from '../values/times.ts';
import { CelError, quantityValue, type CelOpaque, type CelValue, type Val } from '../values/values.ts';

const of = (value: CelValue): Quantity => (value as CelOpaque).payload as Quantity;

function read(text: string): Val {
  try {
    return quantityValue(parseQuantity(text));
  } catch (error) {
    if (error instanceof QuantityError) return new CelError(error.message);
    throw error;
  }
}

/** Upstream keeps an amount as an integer only up to this scale; a larger amount is no integer, whole or not. */
const MAX_SCALE = 18;

function integerOf({ mantissa, scale }: Quantity): bigint | undefined {
  let value = BigInt(mantissa);
  if (scale > MAX_SCALE) return value === 0n ? 0n : undefined;
  if (scale >= 0) value *= 10n ** BigInt(scale);
  else {
    const unit = 10n ** BigInt(-scale);
    if (value % unit !== 0n) return undefined;
    value /= unit;
  }
  return value > MAX_INT64 || value < MIN_INT64 ? undefined : value;
}

const exponent = (value: CelValue): Quantity => quantityOf(value as bigint, 'DecimalExponent');

const compared =
  (test: (order: number) => Val): Fn =>
  (a, b) =>
    test(compareQuantities(of(a), of(b)));

export const QUANTITY_FUNCTIONS: FunctionTable = [
  ['string_to_quantity', (text) => read(text as string)],
  ['is_quantity_string', (text) => quantityProblem(text as string) === undefined],
  ['quantity_sign', (quantity) => BigInt(signOf(of(quantity)))],
  ['quantity_is_greater_than', compared((order) => order > 0)],
  ['quantity_is_less_than', compared((order) => order < 0)],
  ['quantity_compare_to', compared((order) => BigInt(order))],
  ['quantity_get_float', (quantity) => approximateValue(of(quantity))],
  ['quantity_get_int', (quantity) => integerOf(of(quantity)) ?? new CelError('cannot convert value to integer')],
  ['quantity_is_integer', (quantity) => integerOf(of(quantity)) !== undefined],
  ['quantity_add', (a, b) => quantityValue(addQuantities(of(a), of(b)))],
  ['quantity_add_int', (a, b) => quantityValue(addQuantities(of(a), exponent(b)))],
  ['quantity_sub', (a, b) => quantityValue(subtractQuantities(of(a), of(b)))],
  ['quantity_sub_int', (a, b) => quantityValue(subtractQuantities(of(a), exponent(b)))],
];
