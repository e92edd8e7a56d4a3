/**
 * Watch events of objects that this controller is writing at the moment. Such an event mostly shows the write itself and comes before
 * its answer; reconciling the object again would find nothing to do. So events are held back until the answer is there, and count
 * only if they show something else.
 *
 * For writes that fail if the object has changed, and for creates: the answer then contains every earlier change.
 */
import type { Stored } from '../../core/kube/objects.ts';

export class WritesUnderWay {
  /** By key of the object: resourceVersion of the newest event since the write began; empty for none. */
  readonly #seen = new Map<string, string>();

  /**
   * Makes the write. Afterwards calls `changed` if the cache has shown another state than the answer, or the write has failed and the
   * cache has shown any.
   *
   * @param answerOf the object as the write left it; undefined: none.
   */
  async during<T>(
    key: string,
    write: () => Promise<T>,
    answerOf: (answer: T) => Stored | undefined,
    changed: () => void,
  ): Promise<T> {
    this.#seen.set(key, '');
    let version: string | undefined;
    try {
      const answer = await write();
      version = answerOf(answer)?.metadata.resourceVersion;
      return answer;
    } finally {
      const seen = this.#seen.get(key) ?? '';
      this.#seen.delete(key);
      if (seen !== '' && seen !== version) changed();
    }
  }

  /** Whether the event is held back. */
  holds(key: string, { metadata }: Stored): boolean {
    if (this.#seen.size === 0 || !this.#seen.has(key)) return false;
    this.#seen.set(key, metadata.resourceVersion);
    return true;
  }
}
