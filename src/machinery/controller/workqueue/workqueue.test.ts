import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../time/virtual-clock.ts';
import { createWorkqueue } from './workqueue.ts';

const make = () => createWorkqueue<string>({ clock: createVirtualClock() });

describe('workqueue', () => {
  it('hands out keys in the order they came, each once however often it was added', () => {
    const queue = make();
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
    expect(queue.length).toBe(3);
    expect([queue.take(), queue.take(), queue.take(), queue.take()]).toEqual(['a', 'b', 'c', undefined]);
  });

  it('does not hand out a key that is being worked on, but does so again when it is done', () => {
    const queue = make();
    queue.add('a');
    expect(queue.take()).toBe('a');
    queue.add('a');
    queue.add('a');
    expect([queue.length, queue.take()]).toEqual([0, undefined]);
    queue.done('a');
    expect([queue.length, queue.take(), queue.take()]).toEqual([1, 'a', undefined]);
    queue.done('a');
    expect([queue.length, queue.inWork]).toEqual([0, 0]);
  });

  it('serves those who wait in the order they began to', async () => {
    const queue = make();
    const [first, second] = [queue.get(), queue.get()];
    queue.add('a');
    queue.add('b');
    expect(await Promise.all([first, second])).toEqual(['a', 'b']);
    expect(queue.inWork).toBe(2);
  });

  it('lets the waiting go when it is shut down, and takes nothing more', async () => {
    const queue = make();
    const waiting = queue.get();
    queue.shutDown();
    queue.add('a');
    expect(await waiting).toBeUndefined();
    expect(await queue.get()).toBeUndefined();
    expect([queue.length, queue.isShutDown]).toEqual([0, true]);
  });

  it('still hands out what waited when it was shut down', async () => {
    const queue = make();
    queue.add('a');
    queue.shutDown();
    expect(await queue.get()).toBe('a');
    expect(await queue.get()).toBeUndefined();
  });

  it('is drained when all work is done', async () => {
    const queue = make();
    queue.add('a');
    queue.take();
    let drained = false;
    const wait = queue.drained().then(() => {
      drained = true;
      return drained;
    });
    queue.shutDown();
    await Promise.resolve();
    expect(drained).toBe(false);
    queue.done('a');
    expect(await wait).toBe(true);
  });

  it('ignores a done that nobody took', () => {
    const queue = make();
    queue.done('a');
    queue.add('a');
    queue.done('a');
    expect([queue.length, queue.take()]).toEqual([1, 'a']);
  });

  it('tells object keys apart by their identity', () => {
    const queue = createWorkqueue<{ readonly name: string }>({
      clock: createVirtualClock(),
      identify: (key) => key.name,
    });
    queue.add({ name: 'a' });
    queue.add({ name: 'a' });
    expect(queue.take()).toEqual({ name: 'a' });
    queue.add({ name: 'a' });
    expect(queue.take()).toBeUndefined();
    queue.done({ name: 'a' });
    expect(queue.take()).toEqual({ name: 'a' });
  });

  it('behaves as the model of three sets, whatever is done to it', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd');
    const command = fc.oneof(
      fc.record({ type: fc.constant('add' as const), key }),
      fc.record({ type: fc.constant('take' as const), key }),
      fc.record({ type: fc.constant('done' as const), key }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 200 }), (commands) => {
        const queue = make();
        // The model keeps waiting and taken keys in plain lists and derives everything else.
        let order: string[] = [];
        let working: string[] = [];
        let again: string[] = [];
        for (const step of commands) {
          if (step.type === 'add') {
            queue.add(step.key);
            if (working.includes(step.key)) again = [...again.filter((each) => each !== step.key), step.key];
            else if (!order.includes(step.key)) order = [...order, step.key];
          } else if (step.type === 'take') {
            const [next, ...rest] = order;
            assert.equal(queue.take(), next);
            if (next !== undefined) working = [...working, next];
            order = rest;
          } else {
            queue.done(step.key);
            if (working.includes(step.key)) {
              working = working.filter((each) => each !== step.key);
              if (again.includes(step.key)) order = [...order, step.key];
              again = again.filter((each) => each !== step.key);
            }
          }
          expect([queue.length, queue.inWork]).toEqual([order.length, working.length]);
        }
      }),
    );
  });
});
