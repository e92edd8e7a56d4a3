import { describe, expect, it } from 'vitest';
import type { Stored } from '../../../core/kube/objects.ts';
import { notFound } from '../../../core/kube/status-error.ts';
import { realClock } from '../../../machinery/time/real-clock.ts';
import { createStore } from '../../store/engines/ephemeral-store.ts';
import { failure } from '../../testing/samples.ts';
import { stagedDecision, stagedWrite } from './staged-write.ts';

const KEY = { tenant: 'system', group: '', resource: 'configmaps', namespace: 'ns', name: 'a' };
const object = (value: string): Stored & { readonly data: string } => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '', creationTimestamp: 't' },
  data: value,
});

describe('a decision that has to wait', () => {
  it('is made in one go when nothing is to be waited for', async () => {
    const store = createStore({ clock: realClock });
    const written = stagedWrite(store, KEY, (_, __, step) => ({ put: step('ask', () => object('x')) }));
    expect(store.accepted(KEY)).toBeDefined();
    expect((await written).metadata.resourceVersion).toBe('1');
  });

  it('is made again with the answer, asking once', async () => {
    const store = createStore({ clock: realClock });
    let asked = 0;
    const written = await stagedWrite(store, KEY, (_, __, step) => ({
      put: object(
        step('ask', async () => {
          asked++;
          return 'answered';
        }),
      ),
    }));
    expect(written).toMatchObject({ data: 'answered' });
    expect(asked).toBe(1);
  });

  it('asks again when the object changed meanwhile, since the answer was about another one', async () => {
    const store = createStore({ clock: realClock });
    await store.write(KEY, () => ({ put: object('old') }));
    const seen: unknown[] = [];
    const written = stagedWrite(store, KEY, (accepted, _, step) => {
      const answer = step('ask', async () => {
        seen.push((accepted as { data?: string }).data);
        return `about ${(accepted as { data?: string }).data}`;
      });
      return { put: object(answer) };
    });
    await store.write(KEY, () => ({ put: object('new') }));
    expect(await written).toMatchObject({ data: 'about new' });
    expect(seen).toEqual(['old', 'new']);
  });

  it('is made in the end, however many want to change the object at once', async () => {
    const store = createStore({ clock: realClock });
    await store.write(KEY, () => ({ put: object('') }));
    const all = Array.from({ length: 60 }, (_, i) =>
      stagedWrite(store, KEY, (accepted, __, step) => {
        const before = (accepted as { data?: string }).data ?? '';
        const changed = step('mutate', () => new Promise<string>((resolve) => setImmediate(resolve, `${before}${i},`)));
        step('validate', () => new Promise<boolean>((resolve) => setImmediate(resolve, true)));
        return { put: object(changed) };
      }),
    );
    await Promise.all(all);
    const { data = '' } = store.accepted(KEY) as { data?: string };
    expect(data.split(',').filter(Boolean).toSorted()).toEqual(Array.from({ length: 60 }, (_, i) => `${i}`).toSorted());
  });

  it('gives up when the object never stands still', async () => {
    const store = createStore({ clock: realClock });
    let count = 0;
    const error = await failure(
      stagedWrite(store, KEY, (_, __, step) => {
        step('ask', async () => {
          await Promise.resolve();
          await store.write(KEY, () => ({ put: object(String(count++)) }));
          return '';
        });
        return { put: object('never') };
      }),
    );
    expect(error.reason).toBe('ServerTimeout');
  });

  it('fails with what the step or the decision fails with', async () => {
    const store = createStore({ clock: realClock });
    const missing = notFound({ group: '', resource: 'things' }, 'x');
    const late = stagedWrite(store, KEY, (_, __, step) => {
      step('ask', () => Promise.reject(missing));
      return { put: object('x') };
    });
    expect(await failure(late)).toBe(missing);
    const early = stagedDecision(store, KEY, () => {
      throw missing;
    });
    expect(await failure(early)).toBe(missing);
  });

  it('writes nothing when only an answer is wanted', async () => {
    const store = createStore({ clock: realClock });
    const answer = await stagedDecision(store, KEY, (_, step) => object(step('ask', async () => 'dry')));
    expect(answer).toMatchObject({ data: 'dry' });
    expect(store.revision).toBe(0);
  });
});
