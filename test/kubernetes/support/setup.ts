import { isOnPurpose } from '../../support/no-kubectl.ts';
import { missingPrograms } from './programs.ts';

/** Said once for all suites, which skip themselves. */
export default function setup(): void {
  const missing = missingPrograms();
  if (missing.length === 0) return;
  const text = `no ${missing.join(', ')}: run "npm run test:kubernetes", which builds them once (needs Go), or set EVERYNODE_K8S_BIN`;
  if (isOnPurpose()) throw new Error(text);
  process.stderr.write(`${text}\n`);
}
