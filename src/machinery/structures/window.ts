/**
 * The same work on many items, a window of them at a time. The window may begin small and widens by one with everything
 * that goes well, so it doubles with every round trip, and no item waits for the slowest of those before it. After a
 * failure no further item is begun: a refusal that all of them would meet (a quota, a webhook) is met by few.
 */
export interface WindowOptions {
  /** How many are under way at first, and at most. */
  readonly first: number;
  readonly most: number;
  readonly signal: AbortSignal;
}

/** How wide the window became. Throws the first failure, once everything under way has ended. */
export async function throughWindow<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  { first, most, signal }: WindowOptions,
): Promise<number> {
  let width = Math.min(Math.max(1, first), most);
  let next = 0;
  let underWay = 0;
  let failure: { readonly error: unknown } | undefined;
  const attempt = async (item: T): Promise<void> => work(item);
  await new Promise<void>((resolve) => {
    const succeeded = (): void => {
      // Only a success with items left shows that the window could be wider.
      if (next < items.length && width < most) width += 1;
      ended();
    };
    const failed = (error: unknown): void => {
      failure ??= { error };
      ended();
    };
    const ended = (): void => {
      underWay -= 1;
      begin();
    };
    const begin = (): void => {
      while (underWay < width && failure === undefined && !signal.aborted) {
        if (next >= items.length) break;
        const item = items[next] as T;
        next += 1;
        underWay += 1;
        // An async function, so that work that throws synchronously fails like any other.
        attempt(item).then(succeeded, failed);
      }
      if (underWay === 0) resolve();
    };
    begin();
  });
  // The failure first: the caller may have aborted because of it.
  if (failure !== undefined) throw failure.error;
  signal.throwIfAborted();
  return width;
}
