import { describe, expect, it } from 'vitest';
import type { Stored } from '../../core/kube/objects.ts';
import { createNames } from './child-names.ts';

const pod = (name: string): Stored => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid: `uid-${name}`, resourceVersion: '1', creationTimestamp: '2026-01-01T09:00:00Z' },
});

describe('names of pods', () => {
  const free = (): boolean => false;

  it('look like generated ones and are the same from the same state, in any order', () => {
    const present = [pod('a'), pod('b')];
    const first = createNames('web-', ['uid'], present, free);
    const second = createNames('web-', ['uid'], present.toReversed(), free);
    const made = [first.next(), first.next(), first.next()];
    expect([second.next(), second.next(), second.next()]).toEqual(made);
    for (const name of made) expect(name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(new Set(made).size).toBe(3);
  });

  it('are others once there is another pod, or for another owner', () => {
    const name = createNames('web-', ['uid'], [pod('a')], free).next();
    expect(createNames('web-', ['uid'], [pod('a'), pod('b')], free).next()).not.toBe(name);
    expect(createNames('web-', ['other'], [pod('a')], free).next()).not.toBe(name);
  });

  it('leave out those that are taken and stay labels', () => {
    const name = createNames('web-', ['uid'], [], free).next();
    expect(createNames('web-', ['uid'], [], (each) => each === name).next()).not.toBe(name);
    expect(createNames('x'.repeat(200), ['uid'], [], free).next()).toHaveLength(63);
  });
});
