/** Parses one YAML text off the main thread, so that a large or hostile one stalls nobody. */
import { parentPort, workerData } from 'node:worker_threads';
import { parseYaml } from './parse-yaml.ts';

try {
  parentPort?.postMessage(parseYaml(workerData as string));
} catch (error) {
  parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) });
}
