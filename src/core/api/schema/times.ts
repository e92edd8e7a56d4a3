/** Times in objects: read with Go's complaints, kept in the spelling Kubernetes writes. */
import {
  formatMicroTime,
  formatTime,
  isWritableTime,
  parseMicroTimeStrictly,
  parseTimeStrictly,
} from '../../kube/time.ts';

/** The canonical text (empty for Go's zero time, which counts as absent), or the error of Go's parser. */
export type CanonicalTime = { readonly text: string } | { readonly error: string };

/** Already `2024-01-02T03:04:05Z`, or with six decimals: the form everything we wrote ourselves has. */
const SECONDS = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
const MICROS = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;
/** 1 January of the year 1, where Go's clock begins. */
const ZERO_TIME = -62_135_596_800_000;

export const isCanonicalTime = (text: string, micros: boolean): boolean =>
  (micros ? MICROS : SECONDS).test(text) && !text.startsWith('0001-01-01');

export function canonicalTime(text: string, micros: boolean): CanonicalTime {
  const parsed = micros ? parseMicroTimeStrictly(text) : parseTimeStrictly(text);
  if (!parsed.ok) return { error: parsed.error };
  // An offset can carry the first or last hours of the calendar over its edge.
  if (!isWritableTime(parsed.epochMs)) return { error: `parsing time "${text}": year outside of range [0,9999]` };
  return { text: timeText(parsed.epochMs, micros) };
}

/** The text of a moment; empty for Go's zero time. */
export function timeText(epochMs: number, micros: boolean): string {
  if (epochMs === ZERO_TIME) return '';
  return micros ? formatMicroTime(epochMs) : formatTime(epochMs);
}
