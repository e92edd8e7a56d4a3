/** No value of a secret in anything that is told, returned or thrown, whatever the server says. */
import fc from 'fast-check';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createTestServer } from '../../src/apiserver/testing/test-server.ts';
import { applyComponent } from '../../src/control/component/apply/apply.ts';
import { componentStatus } from '../../src/control/component/apply/status.ts';
import { diffComponent } from '../../src/control/component/apply/diff/diff-component.ts';
import type { Progress } from '../../src/control/component/apply/progress.ts';
import type { RenderedComponent } from '../../src/control/component/apply/rendered.ts';
import type { KubeObject } from '../../src/core/kube/objects.ts';
import { StatusError } from '../../src/core/kube/status-error.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { createVirtualClock } from '../../src/machinery/time/virtual-clock.ts';
import { createSeededRandom } from '../../src/machinery/random/seeded-random.ts';
import { agent } from './component.ts';

const TOKEN = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9+/=_.-]{8,40}$/),
  fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme' }).filter((text) => text.trim().length >= 8),
  fc
    .tuple(fc.stringMatching(/^[a-z0-9]{10,20}$/), fc.stringMatching(/^[A-Z0-9]{10,20}$/))
    .map((lines) => lines.join('\n')),
);

/** Everything somebody could read, in the forms people print things. */
const printed = (value: unknown): string =>
  [
    inspect(value, { depth: 20, showHidden: true }),
    JSON.stringify(value),
    String(value),
    (value as Error | undefined)?.stack,
  ].join('\n');

function leaks(text: string, token: string): boolean {
  const forms = [
    token,
    Buffer.from(token).toString('base64'),
    JSON.stringify(token).slice(1, -1),
    ...token.split('\n'),
  ];
  return forms.some((form) => form.trim().length >= 6 && text.includes(form.trim()));
}

/** What is about secrets, with the token in a registry login as well. */
const withToken = (token: string, config = 'a'): RenderedComponent => {
  const login = {
    auths: { 'registry.test': { username: 'u', password: token, auth: Buffer.from(`u:${token}`).toString('base64') } },
  };
  const pull = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'pull' },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(JSON.stringify(login)).toString('base64') },
  } as KubeObject;
  return agent({ secret: token, more: [pull], config });
};

/** A server that repeats in its answers what it was sent, as careless webhooks do. */
function babbling(client: Client, isAngry: (write: number) => boolean, code: number): Client {
  let writes = 0;
  const answer = (object: unknown): StatusError => {
    const text = inspect(object, { depth: 10 });
    const decoded = JSON.stringify(object).replace(/"([A-Za-z0-9+/=]{8,})"/g, (_, base64: string) =>
      JSON.stringify(Buffer.from(base64, 'base64').toString('utf8')),
    );
    return new StatusError(code, code === 422 ? 'Invalid' : 'InternalError', `what is ${text} or ${decoded}?`, {
      causes: [{ reason: 'FieldValueInvalid', field: 'data', message: `${text} ${decoded}` }],
    });
  };
  return {
    ...client,
    apply: (resource, object, options) => {
      writes += 1;
      return isAngry(writes) ? Promise.reject(answer(object)) : client.apply(resource, object, options);
    },
  };
}

describe('secrets stay secret', () => {
  it('in results, progress and diffs of any apply', async () => {
    await fc.assert(
      fc.asyncProperty(TOKEN, TOKEN, async (first, second) => {
        fc.pre(first !== second);
        const { client } = await createTestServer();
        const told: Progress[] = [];
        const clock = createVirtualClock();
        const random = createSeededRandom(1);
        const context = { client, clock, random, onProgress: (progress: Progress) => void told.push(progress) };
        const made = await diffComponent(context, withToken(first));
        const applied = await applyComponent(context, withToken(first));
        const diff = await diffComponent(context, withToken(second));
        const status = await componentStatus(context, withToken(first).identity);
        const all = printed([made, applied, diff, status, told]);
        expect(leaks(all, first)).toBe(false);
        expect(leaks(all, second)).toBe(false);
        const secrets = diff.texts.filter(({ object }) => object.kind === 'Secret').map(({ text }) => text);
        expect(secrets.length).toBe(2);
        for (const text of secrets) {
          expect(text).toContain('*** (before)');
          expect(text).toContain('*** (after)');
        }
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  it('in errors of a server that repeats what it is sent', async () => {
    await fc.assert(
      fc.asyncProperty(
        TOKEN,
        fc.integer({ min: 1, max: 25 }),
        fc.constantFrom(422, 500, 503),
        async (token, at, code) => {
          const { client } = await createTestServer();
          const told: Progress[] = [];
          const clock = createVirtualClock();
          const random = createSeededRandom(1);
          const noisy = babbling(client, (write) => write >= at, code);
          const onProgress = (progress: Progress): void => void told.push(progress);
          const context = { client: noisy, clock, random, onProgress, retryForMs: 5000 };
          let isOver = false;
          const attempt = applyComponent(context, withToken(token)).then(
            (value: unknown) => value,
            (error: unknown) => error,
          );
          void attempt.then(() => (isOver = true));
          while (!isOver) await clock.advance(1000);
          expect(leaks(printed([await attempt, told]), token)).toBe(false);
          expect(leaks(printed(await attempt), token)).toBe(false);
        },
      ),
      { numRuns: 40 },
    );
  }, 60_000);
});
