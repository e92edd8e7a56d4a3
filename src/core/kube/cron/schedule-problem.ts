/** Reads a cron schedule and says what is wrong with it, in the words of the parser Kubernetes uses. */
import { atoi } from '../go-text.ts';

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: ReadonlyMap<string, number>;
}

const named = (names: string, first: number): ReadonlyMap<string, number> =>
  new Map(names.split(' ').map((name, index) => [name, index + first]));

const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: named('jan feb mar apr may jun jul aug sep oct nov dec', 1) },
  { min: 0, max: 6, names: named('sun mon tue wed thu fri sat', 0) },
];

const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
const DURATION = /^[-+]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+$/;

export function scheduleProblem(schedule: string): string | undefined {
  if (schedule === '') return 'empty spec string';
  let text = schedule;
  if (text.startsWith('TZ=') || text.startsWith('CRON_TZ=')) {
    const space = text.indexOf(' ');
    if (space < 0) return 'invalid schedule format: runtime error: slice bounds out of range [:-1]';
    const zone = text.slice(text.indexOf('=') + 1, space);
    if (!isTimeZone(zone)) return `provided bad location ${zone}: unknown time zone ${zone}`;
    text = text.slice(space).trim();
  }
  if (text.startsWith('@')) return descriptorProblem(text);
  const fields = text.split(/\s+/).filter((part) => part !== '');
  if (fields.length !== FIELDS.length) {
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  }
  for (const [index, bounds] of FIELDS.entries()) {
    for (const range of (fields[index] ?? '').split(',')) {
      const problem = range === '' ? undefined : rangeProblem(range, bounds);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function descriptorProblem(text: string): string | undefined {
  if (DESCRIPTORS.includes(text)) return undefined;
  if (!text.startsWith('@every ')) return `unrecognized descriptor: ${text}`;
  const duration = text.slice('@every '.length);
  return DURATION.test(duration)
    ? undefined
    : `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`;
}

type Parsed = { readonly value: number } | { readonly problem: string };

function parseNumber(text: string): Parsed {
  const parsed = atoi(text);
  if (!parsed.ok) return { problem: `failed to parse int from ${text}: ${parsed.error}` };
  if (parsed.value < 0n) return { problem: `negative number (${parsed.value}) not allowed: ${text}` };
  return { value: Number(parsed.value) };
}

function parseNumberOrName(text: string, { names }: Bounds): Parsed {
  const value = names?.get(text.toLowerCase());
  return value === undefined ? parseNumber(text) : { value };
}

function rangeProblem(range: string, bounds: Bounds): string | undefined {
  const [span = '', stepText, ...moreSteps] = range.split('/');
  const [lowText = '', highText, ...moreBounds] = span.split('-');
  const star = lowText === '*' || lowText === '?';
  let low = bounds.min;
  let high = bounds.max;
  if (!star) {
    const start = parseNumberOrName(lowText, bounds);
    if ('problem' in start) return start.problem;
    low = start.value;
    if (moreBounds.length > 0) return `too many hyphens: ${range}`;
    const end = highText === undefined ? start : parseNumberOrName(highText, bounds);
    if ('problem' in end) return end.problem;
    high = end.value;
  }
  let step = 1;
  if (moreSteps.length > 0) return `too many slashes: ${range}`;
  if (stepText !== undefined) {
    const parsed = parseNumber(stepText);
    if ('problem' in parsed) return parsed.problem;
    step = parsed.value;
    if (highText === undefined) high = bounds.max;
  }
  if (low < bounds.min) return `beginning of range (${low}) below minimum (${bounds.min}): ${range}`;
  if (high > bounds.max) return `end of range (${high}) above maximum (${bounds.max}): ${range}`;
  if (low > high) return `beginning of range (${low}) beyond end of range (${high}): ${range}`;
  return step === 0 ? `step of range should be a positive number: ${range}` : undefined;
}

export function isTimeZone(name: string): boolean {
  if (name === '' || name === 'UTC' || name === 'Local') return true;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // Kubernetes looks zones up as files, in which capitals count.
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}
