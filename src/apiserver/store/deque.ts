const emptyRing = <T>(capacity: number): (T | undefined)[] =>
  Array.from({ length: capacity }, (): T | undefined => undefined);

/** A first-in-first-out queue on a growing ring, addressed by position from the oldest. */
export class Deque<T> {
  /** Length is a power of two. Free slots hold undefined, so that nothing dropped stays referenced. */
  #ring: (T | undefined)[] = emptyRing<T>(16);
  #head = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The oldest; undefined when empty. */
  get first(): T | undefined {
    return this.#ring[this.#head];
  }

  at(index: number): T {
    return this.#ring[(this.#head + index) & (this.#ring.length - 1)] as T;
  }

  push(value: T): void {
    if (this.#length === this.#ring.length) this.#resize(this.#ring.length * 2);
    this.#ring[(this.#head + this.#length) & (this.#ring.length - 1)] = value;
    this.#length++;
  }

  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const value = this.#ring[this.#head];
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.#length--;
    if (this.#ring.length > 16 && this.#length < this.#ring.length >> 2) this.#resize(this.#ring.length >> 1);
    return value;
  }

  #resize(capacity: number): void {
    const next = emptyRing<T>(capacity);
    for (let i = 0; i < this.#length; i++) next[i] = this.at(i);
    this.#ring = next;
    this.#head = 0;
  }
}
