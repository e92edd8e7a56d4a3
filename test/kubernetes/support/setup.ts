import { kubectls } from '../../support/kubectl.ts';
import { isOnPurpose, NO_KUBECTL } from '../../support/no-kubectl.ts';
import { ALL_PROGRAMS, missingPrograms } from './programs.ts';

/** Said once for all suites, which skip themselves. */
export default function setup(): void {
  // Whoever brings a cluster needs no programs.
  if (process.env['EVERYNODE_EXISTING_CLUSTER'] !== undefined) return;
  const missing = missingPrograms(ALL_PROGRAMS);
  if (missing.length > 0)
    tell(
      `no ${missing.join(', ')}: run "npm run test:kubernetes", which builds them once (needs Go), or set EVERYNODE_K8S_BIN`,
    );
  if (kubectls().length === 0) tell(NO_KUBECTL);
}

function tell(text: string): void {
  // Where the build has a time of its own, what it could not build is told at the end.
  if (isOnPurpose() && process.env['EVERYNODE_K8S_PARTIAL'] === undefined) throw new Error(text);
  process.stderr.write(`${text}\n`);
}
