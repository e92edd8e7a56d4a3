/** Runs `work` for every item, a bounded number at a time; all are tried, then the first failure is thrown. */
export async function forEachBounded<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const failures: unknown[] = [];
  const walk = async (): Promise<void> => {
    for (const item of rest) {
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, walk));
  if (failures.length > 0) throw failures[0];
}
