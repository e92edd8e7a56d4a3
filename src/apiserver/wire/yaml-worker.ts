/**
 * Parses YAML texts off the main thread, one after the other, so that a large or hostile one does not stall the server.
 */
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { parseYaml, type ParsedYaml } from './parse-yaml.ts';

/** JSON text is read much faster than a cloned value; `value` only where digits would be lost on that way. */
export type YamlAnswer =
  | { readonly error: string }
  | (Pick<ParsedYaml, 'duplicates'> & ({ readonly json: string } | { readonly value: ParsedYaml['value'] }));

/** The main thread comes first where there are fewer cores than threads. On Linux a thread has a priority of its own. */
const NICE = 5;
if (process.platform === 'linux') {
  try {
    setPriority(NICE);
  } catch {
    // Setting the priority is not permitted here: the thread keeps the priority it has.
  }
}

function answer(text: string): YamlAnswer {
  try {
    const { value, duplicates } = parseYaml(text);
    return keepsDigits(value) ? { json: JSON.stringify(value), duplicates } : { value, duplicates };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function keepsDigits(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint';
  for (const member of Object.values(value)) if (!keepsDigits(member)) return false;
  return true;
}

parentPort?.on('message', (text: string) => parentPort?.postMessage(answer(text)));
