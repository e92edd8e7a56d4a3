/**
 * Changes that come while pods are in flight. An attempt sees the cluster of the moment it began; later changes are
 * checked against its outcome. Nothing is kept while no pod is in flight, which is nearly always.
 */
import type { ClusterChange } from './cluster-change.ts';

export interface ChangeLog {
  /** A pod is taken; returns the position to ask from. */
  begin(): number;
  /** The attempt that began at this position has ended. */
  end(place: number): void;
  note(change: ClusterChange): void;
  /** Changes since that position, oldest first. */
  since(place: number): readonly ClusterChange[];
}

export function createChangeLog(): ChangeLog {
  let changes: ClusterChange[] = [];
  /** The position of `changes[0]`. */
  let first = 0;
  /** Number of attempts in flight by the position they began at. `changes` begins at the smallest of these. */
  const begun = new Map<number, number>();

  return {
    begin() {
      const place = first + changes.length;
      begun.set(place, (begun.get(place) ?? 0) + 1);
      return place;
    },
    end(place) {
      const left = (begun.get(place) ?? 0) - 1;
      if (left > 0) {
        begun.set(place, left);
        return;
      }
      begun.delete(place);
      const oldest = begun.size === 0 ? first + changes.length : Math.min(...begun.keys());
      if (oldest > first) {
        changes = changes.slice(oldest - first);
        first = oldest;
      }
    },
    note(change) {
      if (begun.size > 0) changes.push(change);
    },
    since: (place) => (changes.length === 0 ? NONE : changes.slice(Math.max(0, place - first))),
  };
}

const NONE: readonly ClusterChange[] = Object.freeze([]);
