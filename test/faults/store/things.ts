/** Objects that show when half of them is missing: everything in them follows from their sequence number. */
import type { Stored } from '../../../src/core/kube/objects.ts';

export const VICTIMS = { tenant: 'system', group: 'test.everynode.dev', resource: 'victims' };

const filler = (seq: number, length: number): string => `${seq}.`.repeat(length).slice(0, length);

export const thing = (name: string, seq: number, padding: number): Stored =>
  ({
    apiVersion: 'test.everynode.dev/v1',
    kind: 'Victim',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      resourceVersion: '',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { seq, padding, filler: filler(seq, padding) },
  }) as unknown as Stored;

export interface ThingSpec {
  readonly seq: number;
  readonly padding: number;
  readonly filler: string;
}

export const specOf = (object: Stored): ThingSpec => (object as unknown as { readonly spec: ThingSpec }).spec;

export const isWhole = (object: Stored): boolean => {
  const { seq, padding, filler: text } = specOf(object);
  return text === filler(seq, padding);
};
