/** Tables of expected values, computed once with Kubernetes' own Go packages; one JSON document a file. */
import { readFileSync } from 'node:fs';

/** The caller knows the table's shape and says so. */
export function readGolden(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`./${name}.golden`, import.meta.url), 'utf8'));
}
