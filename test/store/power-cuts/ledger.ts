/**
 * What clients of a store were told, and what a store that was opened again must therefore hold. Every change has the
 * revision that it was ordered with, so the state is known exactly once the reopened store says how far it reaches:
 * all that was acknowledged, of what was in doubt everything up to that revision, and nothing that was refused.
 */
import type { Store } from '../../../src/apiserver/store/store.ts';
import type { Stored } from '../../../src/core/kube/objects.ts';

export const THINGS = { tenant: 'system', group: 'test.everynode.dev', resource: 'things' };

export interface Change {
  readonly name: string;
  readonly revision: number;
  /** What was written; undefined for a removal. */
  readonly content: string | undefined;
  outcome: 'doubtful' | 'acknowledged' | 'refused';
}

interface Held {
  readonly revision: number;
  readonly content: string;
}

export const contentOf = (object: Stored): string =>
  (object as unknown as { readonly spec: { readonly content: string } }).spec.content;

export const thing = (name: string, content: string): Stored =>
  ({
    apiVersion: 'test.everynode.dev/v1',
    kind: 'Thing',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      resourceVersion: '',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { content },
  }) as unknown as Stored;

export class Ledger {
  /** What every opened store since has shown to be there. */
  #held = new Map<string, Held>();
  /** Since the store was last opened, in order of revision. */
  #changes: Change[] = [];
  /** First and last revision of the batches that the engine was given since. */
  #batches: { readonly first: number; readonly last: number }[] = [];
  /** The highest revision that anybody has seen committed. */
  #seen = 0;
  acknowledged = 0;
  refused = 0;
  doubtful = 0;

  ordered(name: string, revision: number, content: string | undefined): Change {
    const change: Change = { name, revision, content, outcome: 'doubtful' };
    this.#changes.push(change);
    return change;
  }

  settle(change: Change, outcome: 'acknowledged' | 'refused'): void {
    change.outcome = outcome;
    if (outcome === 'acknowledged') this.acknowledged += 1;
    else this.refused += 1;
  }

  batch(first: number, last: number): void {
    this.#batches.push({ first, last });
  }

  /** Somebody read a store that had come this far. */
  saw(revision: number): void {
    this.#seen = Math.max(this.#seen, revision);
  }

  /** Everything that is wrong with a store that was opened again. Its state is what is known from then on. */
  compare(store: Store): string[] {
    const { revision } = store;
    const wrong: string[] = [];
    if (revision < this.#seen) wrong.push(`revision ${revision} is behind ${this.#seen}, which was seen`);
    for (const { first, last } of this.#batches) {
      if (first <= revision && revision < last && this.#doubts(first, last)) {
        wrong.push(`the batch of revisions ${first} to ${last} is there up to ${revision}`);
      }
    }
    const expected = this.#expectedAt(revision);
    const found = new Map<string, Held>();
    for (const object of store.list(THINGS)) {
      found.set(object.metadata.name, {
        revision: Number(object.metadata.resourceVersion),
        content: contentOf(object),
      });
    }
    for (const name of new Set([...expected.keys(), ...found.keys()])) {
      const problem = this.#differs(name, expected.get(name), found.get(name));
      if (problem !== undefined) wrong.push(problem);
    }
    this.doubtful += this.#changes.filter(({ outcome }) => outcome === 'doubtful').length;
    this.#held = found;
    this.#changes = [];
    this.#batches = [];
    this.#seen = revision;
    return wrong;
  }

  #doubts(first: number, last: number): boolean {
    return this.#changes.some((c) => c.revision >= first && c.revision <= last && c.outcome === 'doubtful');
  }

  #expectedAt(revision: number): Map<string, Held> {
    const expected = new Map(this.#held);
    for (const change of this.#changes) {
      if (change.outcome === 'refused' || (change.outcome === 'doubtful' && change.revision > revision)) continue;
      if (change.content === undefined) expected.delete(change.name);
      else expected.set(change.name, { revision: change.revision, content: change.content });
    }
    return expected;
  }

  #differs(name: string, expected: Held | undefined, found: Held | undefined): string | undefined {
    if (expected?.revision === found?.revision && expected?.content === found?.content) return undefined;
    const text = (held: Held | undefined): string =>
      held === undefined ? 'nothing' : `revision ${held.revision} (${held.content.length} characters)`;
    const revision = found?.revision ?? Infinity;
    const refused = this.#changes.some((c) => c.outcome === 'refused' && c.name === name && c.revision === revision);
    return `${name} must hold ${text(expected)} and holds ${text(found)}${refused ? ', which was refused' : ''}`;
  }
}
