/** An async iterable that is fed by pushing: items that gather while the reader is busy arrive together. */
export interface PushStream<T> {
  push(item: T): void;
  /** Pushed items are still read, then the stream ends. */
  end(): void;
  /** Pushed items are still read, then the reader gets this error. */
  fail(error: unknown): void;
  /** Items waiting to be read. */
  readonly backlog: number;
  readonly batches: AsyncIterable<readonly T[]>;
}

/** `onReturn` runs once, at the end of reading: the reader left, or the stream came to its end. */
export function createPushStream<T>(onReturn: () => void = () => undefined): PushStream<T> {
  let waiting: T[] = [];
  let wake: (() => void) | undefined;
  let ending: { readonly error: unknown } | 'end' | undefined;

  const finish = (how: { readonly error: unknown } | 'end'): void => {
    ending ??= how;
    wake?.();
  };

  async function* read(): AsyncGenerator<readonly T[]> {
    try {
      for (;;) {
        if (waiting.length > 0) {
          const batch = waiting;
          waiting = [];
          yield batch;
        } else if (ending === 'end') {
          return;
        } else if (ending !== undefined) {
          throw ending.error;
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          wake = undefined;
        }
      }
    } finally {
      waiting = [];
      ending ??= 'end';
      onReturn();
    }
  }

  return {
    push(item) {
      if (ending !== undefined) return;
      waiting.push(item);
      wake?.();
    },
    end: () => finish('end'),
    fail: (error) => finish({ error }),
    get backlog() {
      return waiting.length;
    },
    batches: read(),
  };
}
