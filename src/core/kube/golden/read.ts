/** Tables of expected values, computed once with Kubernetes' own Go packages; one JSON document a file. */
import { readFileSync } from 'node:fs';

export function readGolden<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`./${name}.golden`, import.meta.url), 'utf8')) as T;
}
