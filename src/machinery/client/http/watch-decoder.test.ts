import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConfigMap } from '../../../core/api/types/core-v1.ts';
import type { WatchEvent } from '../client.ts';
import { createWatchDecoder, WatchBroken } from './watch-decoder.ts';

const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
const named = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, resourceVersion: '5' } });

function broken(run: () => unknown): WatchBroken<ConfigMap> {
  try {
    run();
  } catch (error) {
    if (error instanceof WatchBroken) return error as WatchBroken<ConfigMap>;
    throw error;
  }
  throw new Error('it did not break');
}

describe('watch decoder', () => {
  it('gives the same events however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 20 }),
        (names, cuts) => {
          const bytes = Buffer.from(names.map((name) => line('ADDED', named(name))).join(''));
          const decoder = createWatchDecoder<ConfigMap>();
          const events: WatchEvent<ConfigMap>[] = [];
          let at = 0;
          for (const cut of [...cuts, bytes.length + 1]) {
            events.push(...decoder.push(bytes.subarray(at, at + cut)));
            at += cut;
          }
          const seen = events.map((event) => (event.type === 'BOOKMARK' ? '' : event.object.metadata.name));
          expect(seen).toEqual(names.map((name) => name.toWellFormed()));
        },
      ),
    );
  });

  it('reads bookmarks, and the one that ends the initial state', () => {
    const end = { metadata: { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } } };
    const text = line('BOOKMARK', { metadata: { resourceVersion: '8' } }) + line('BOOKMARK', end);
    expect(createWatchDecoder().push(Buffer.from(text))).toEqual([
      { type: 'BOOKMARK', resourceVersion: '8', initialEventsEnd: false },
      { type: 'BOOKMARK', resourceVersion: '9', initialEventsEnd: true },
    ]);
  });

  it('hands over what came before an error', () => {
    const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };
    const text = line('ADDED', named('a')) + line('ERROR', status) + line('ADDED', named('b'));
    const error = broken(() => createWatchDecoder().push(Buffer.from(text)));
    expect(error.events).toHaveLength(1);
    expect([error.cause.code, error.cause.reason, error.cause.message]).toEqual([410, 'Expired', 'too old']);
  });

  it.each([
    '{',
    'null',
    '{}',
    '[]',
    '"x"',
    '{"type":"ADDED"}',
    '{"type":"ODD","object":{"metadata":{}}}',
    '{"type":"ERROR","object":{}}',
    '{"type":"ADDED","object":null}',
  ])('refuses %s', (text) => {
    expect(broken(() => createWatchDecoder().push(Buffer.from(`${text}\n`))).cause.reason).toBe('InternalError');
  });

  it('ignores empty lines', () => {
    expect(createWatchDecoder().push(Buffer.from('\n\n\n'))).toEqual([]);
  });

  it('does not gather a line without end', () => {
    const decoder = createWatchDecoder(100);
    decoder.push(Buffer.alloc(60, 'x'));
    expect(broken(() => decoder.push(Buffer.alloc(60, 'x'))).cause.message).toContain('larger than 100 bytes');
  });
});
