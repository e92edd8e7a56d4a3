import { expect, it } from 'vitest';

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly failureMessages: readonly string[] }[];
  }[];
}
interface DaySeed {
  dayNote(seed: string, report: Report | undefined): string;
  daySeed(now: Date): string;
  replayText(seed: string): string;
}
const script = new URL('../../scripts/day-seed.mjs', import.meta.url);
const { dayNote, daySeed, replayText } = (await import(script.href)) as DaySeed;
const COMMAND = 'EVERYNODE_SEED=20261117 npm run test:kubernetes -- differential';

it('is another one every day, and a number', () => {
  expect(daySeed(new Date('2026-11-17T23:59:59Z'))).toBe('20261117');
  expect(daySeed(new Date('2026-11-18T00:00:00Z'))).toBe('20261118');
});

it('is told with the command that plays it again', () => {
  expect(replayText('20261117')).toContain(COMMAND);
});

it('that finds something is noted with suite, number of cases and command', () => {
  const file = (suite: string, status: string, ...failureMessages: string[]) => ({
    name: `/somewhere/test/kubernetes/differential/${suite}.test.ts`,
    status,
    assertionResults: [{ status, failureMessages }],
  });
  const first = 'AssertionError: 3 of 400 cases part: expected …';
  const again = 'AssertionError: 2 of 400 cases part: expected …';
  const testResults = [
    file('api-requests', 'failed', first, again),
    file('scheduler', 'passed'),
    file('daemonset', 'failed', 'Error: no control plane'),
  ];
  expect(dayNote('20261117', { testResults })).toBe(
    `differential: seed 20261117 of the day: api-requests PARTED in 2 of 400 cases, daemonset FAILED; ${COMMAND}`,
  );
  expect(dayNote('20261117', undefined)).toBe(
    `differential: seed 20261117 of the day: FAILED without a report; ${COMMAND}`,
  );
});
