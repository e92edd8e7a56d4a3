/** Values as Go's `%v` prints them inside messages. */
import { formatGoFloat } from '../../../kube/go-float.ts';
import { formatNanos } from '../../../kube/go-duration.ts';
import { formatTimestamp } from './times.ts';
import {
  CelDuration,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  isError,
  type Val,
} from './values.ts';
import { work } from './work.ts';

export function printGo(value: Val | undefined): string {
  work(1);
  if (typeof value === 'number') return formatGoFloat(value);
  if (typeof value !== 'object') return String(value);
  return value === null ? 'null' : printObject(value);
}

function printObject(value: Exclude<Val, null | string | number | bigint | boolean>): string {
  if (isError(value)) return value.message;
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelDuration) return formatNanos(value.nanos);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelOptional)
    return value.value === undefined ? 'optional.none()' : `optional(${printGo(value.value)})`;
  if (value instanceof CelList) {
    const items: string[] = [];
    for (let i = 0; i < value.size; i++) items.push(printGo(value.at(i)));
    return `[${items.join(', ')}]`;
  }
  if (value instanceof CelMap) {
    return `{${value
      .keys()
      .map((key) => `${printGo(key)}: ${printGo(value.find(key))}`)
      .join(', ')}}`;
  }
  return value instanceof Uint8Array ? `[${value.join(' ')}]` : 'value';
}
