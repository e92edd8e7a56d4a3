/**
 * The seed that differential suites take, besides their fixed one, where changes land: another one every day, and the same
 * for everybody that day. What it finds is news about the product, not about the change that is to land: it is noted in the
 * last line, and a failure only with EVERYNODE_CI_STRICT=1.
 */

/** `20261117`, in UTC. */
export const daySeed = (now) => now.toISOString().slice(0, 10).replaceAll('-', '');

const command = (seed) => `EVERYNODE_SEED=${seed} npm run test:kubernetes -- differential`;

/** What a failure ends with. */
export const replayText = (seed) =>
  `differential: drawn from seed ${seed}; ${command(seed)} plays it again, EVERYNODE_DIFFERENTIAL_CASE=<name of the case> one alone`;

/**
 * The note about a day's seed that did not pass: how many cases part in which suite, and how they are played again.
 * `report` is vitest's, undefined where the run left none.
 */
export function dayNote(seed, report) {
  const failed = (report?.testResults ?? []).filter(({ status }) => status === 'failed').map(findings);
  return `differential: seed ${seed} of the day: ${failed.join(', ') || 'FAILED without a report'}; ${command(seed)}`;
}

function findings({ assertionResults = [], name }) {
  const suite = /([^/\\]+)\.test\.ts$/.exec(name)?.[1] ?? name;
  const parted = assertionResults
    .flatMap(({ failureMessages = [] }) => failureMessages)
    .flatMap((text) => /(\d+ of \d+) cases part/.exec(text)?.[1] ?? []);
  // Each try of a test that was repeated has told of it; the last counts.
  return `${suite} ${parted.length === 0 ? 'FAILED' : `PARTED in ${parted.at(-1)} cases`}`;
}
