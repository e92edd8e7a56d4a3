import { describe, expect, it } from 'vitest';
import { healthAnswer, type HealthCheck } from './health.ts';

const good: HealthCheck = { name: 'good', isVital: true, check: () => ({ ok: true }) };
const telling: HealthCheck = { name: 'telling', check: () => ({ ok: true, says: 'all is well' }) };
const bad: HealthCheck = { name: 'bad', check: () => ({ ok: false, says: 'not known yet: pods' }) };
const throwing: HealthCheck = {
  name: 'throwing',
  check: () => {
    throw new Error('secret');
  },
};
const ask = (path: string, checks: readonly HealthCheck[]) => healthAnswer(new URL(path, 'http://x'), checks);

describe('health', () => {
  it('says ok and no more when all is well', () => {
    expect(ask('/readyz', [good, telling])).toEqual({ code: 200, text: 'ok\n' });
    expect(ask('/livez', [good])).toEqual({ code: 200, text: 'ok\n' });
    expect(ask('/healthz', [good])).toEqual({ code: 200, text: 'ok\n' });
  });

  it('tells of every check when asked', () => {
    expect(ask('/readyz?verbose', [good, telling])).toEqual({
      code: 200,
      text: '[+]good ok\n[+]telling ok: all is well\nreadyz check passed\n',
    });
  });

  it('tells unasked what is wrong', () => {
    expect(ask('/readyz', [good, bad])).toEqual({
      code: 500,
      text: '[+]good ok\n[-]bad failed: not known yet: pods\nreadyz check failed\n',
    });
  });

  it('asks only what a restart can mend whether the process lives', () => {
    expect(ask('/livez', [good, bad])?.code).toBe(200);
    expect(ask('/livez?verbose', [good, bad])?.text).toBe('[+]good ok\nlivez check passed\n');
  });

  it('answers for one check, and leaves out those it is told to', () => {
    expect(ask('/readyz/bad', [good, bad])?.code).toBe(500);
    expect(ask('/readyz/good', [good, bad])).toEqual({ code: 200, text: 'ok\n' });
    expect(ask('/livez/bad', [good, bad])?.code).toBe(404);
    expect(ask('/readyz?exclude=bad', [good, bad])).toEqual({ code: 200, text: 'ok\n' });
    expect(ask('/readyz?verbose&exclude=bad', [good, bad])?.text).toContain('[+]bad excluded: ok\n');
  });

  it('takes a check that throws for one that failed, and does not tell what it threw', () => {
    const answer = ask('/readyz', [throwing]);
    expect(answer?.code).toBe(500);
    expect(answer?.text).not.toContain('secret');
  });

  it.each(['/', '/metrics', '/readyz/a/b', '/constructor', '/__proto__'])('knows nothing of %s', (path) => {
    expect(ask(path, [good])).toBe(undefined);
  });
});
