/** More requests than can be served, and requests that never end. */
import { describe, expect, it } from 'vitest';
import { configMap, get, post, useHouse } from './support/house.ts';
import { openTls, statusOf } from './support/wire-client.ts';

const house = useHouse({ limits: { reads: 3, writes: 2, timeoutMs: 1500 } });
const PATH = '/api/v1/namespaces/default/configmaps';

/** A write that is begun and not finished: it holds its place. */
async function unfinished() {
  const socket = await openTls(house.cluster.server, house.admin);
  let answer = '';
  const closed = new Promise<string>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString();
      if (answer.includes('"code":')) resolve(answer);
    });
    socket.on('close', () => resolve(answer));
  });
  socket.write(`POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`);
  return { closed, leave: () => socket.destroy() };
}

describe('a crowd', () => {
  it('is told to come back, while reads, health and watches go on; then time frees the places', async () => {
    const body = JSON.stringify(configMap({}, 'crowd'));
    await house.unharmed(async () => {
      const holders = [await unfinished(), await unfinished()];
      // Their requests must have arrived.
      await new Promise((resolve) => setTimeout(resolve, 200));
      const refused = await house.ask({ ...post(body), path: PATH });
      expect(statusOf(refused)).toMatchObject({
        code: 429,
        reason: 'TooManyRequests',
        details: { retryAfterSeconds: 1 },
      });
      expect(refused.headers['retry-after']).toBe('1');
      expect((await house.ask(get(PATH))).status).toBe(200);
      expect((await house.ask(get('/readyz'))).status).toBe(200);
      for (const { closed, leave } of holders) {
        expect(await closed).toContain('Timeout: request did not complete within the allotted timeout');
        leave();
      }
    });
    expect((await house.ask({ ...post(body), path: `${PATH}?dryRun=All` })).status).toBe(201);
  });
});
