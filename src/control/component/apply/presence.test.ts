import { describe, expect, it } from 'vitest';
import { DAEMON_SETS } from '../../../core/api/registry/resources.ts';
import { StatusError } from '../../../core/kube/status-error.ts';
import type { Client } from '../../../machinery/client/client.ts';
import { createVirtualClock } from '../../../machinery/time/virtual-clock.ts';
import { refOf } from './object-ref.ts';
import { followPresence } from './presence.ts';

const refused = new StatusError(503, 'ServiceUnavailable', 'no', undefined, { cause: { code: 'ECONNREFUSED' } });
const foreign = new StatusError(503, 'ServiceUnavailable', 'no', undefined, {
  cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
});

/** The calls of the listener while the server gives these answers, one after the other; the last one for ever. */
async function told(answers: readonly (string | Error)[]): Promise<readonly string[]> {
  const clock = createVirtualClock();
  const stop = new AbortController();
  const said: string[] = [];
  let asked = 0;
  const client = {
    get() {
      const answer = answers[Math.min(asked++, answers.length - 1)];
      return typeof answer === 'string' ? Promise.resolve({ metadata: { uid: answer } }) : Promise.reject(answer);
    },
  } as unknown as Client;
  const following = followPresence(
    { client, clock },
    { ref: refOf(DAEMON_SETS, 'logging', 'agent'), uid: 'ours' },
    {
      away: (reason) => void said.push(`away: ${reason}`),
      back: () => void said.push('back'),
      lost: (why) => void said.push(`lost: ${why}`),
    },
    stop.signal,
  );
  await clock.advance(60_000);
  stop.abort();
  await following;
  return said;
}

describe('the presence of a server', () => {
  it.each([
    ['that is there', ['ours'], []],
    ['that goes and comes back', ['ours', refused, refused, 'ours'], ['away: ECONNREFUSED', 'back']],
    ['that is refused something', [new StatusError(403, 'Forbidden', 'no')], []],
    ['that is busy', [new StatusError(429, 'TooManyRequests', 'later')], []],
    [
      'that comes back as another one',
      [refused, 'theirs'],
      ['away: ECONNREFUSED', 'lost: its DaemonSet logging/agent is another one'],
    ],
    [
      'that comes back empty',
      [refused, new StatusError(404, 'NotFound', 'none')],
      ['away: ECONNREFUSED', 'lost: it has no DaemonSet logging/agent'],
    ],
    [
      'that another one took the place of',
      [refused, foreign],
      ['away: ECONNREFUSED', "lost: its certificate is another's (DEPTH_ZERO_SELF_SIGNED_CERT)"],
    ],
    [
      'that forgot who asks',
      [new StatusError(401, 'Unauthorized', 'who?')],
      ['away: it does not know who asks', 'lost: it does not know who asks'],
    ],
    // Whether it was deleted the watches tell.
    ['that has lost the object', [new StatusError(404, 'NotFound', 'none')], []],
  ])('%s', async (_what, answers, expected) => {
    expect(await told(answers)).toEqual(expected);
  });
});
