/** Runs `count` operations with at most `inFlight` under way; returns operations a second. */
export async function throughput(
  count: number,
  inFlight: number,
  operation: (index: number) => Promise<unknown>,
): Promise<number> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await operation(next++);
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: inFlight }, worker));
  return (count * 1000) / (performance.now() - began);
}
