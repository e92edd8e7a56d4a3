/** An event that happens once and that many wait for. */
export interface Gate {
  readonly opened: Promise<void>;
  isOpen(): boolean;
  open(): void;
}

export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  let open = false;
  return {
    opened: promise,
    isOpen: () => open,
    open() {
      open = true;
      resolve();
    },
  };
}
