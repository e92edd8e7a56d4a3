/** Whether the store takes writes, as readiness and metrics tell it. */
import type { Store, StoreTrouble } from '../apiserver/store/store.ts';
import type { Metrics } from '../machinery/metrics/metrics.ts';

/** Readiness is public, so the answer contains nothing of the disk's error. */
const WORDS: { readonly [kind in StoreTrouble['kind']]: string } = {
  full: 'the disk of the data directory is full, only deletions are taken',
  failed: 'the disk of the data directory fails, no write is taken; the log of the server says why',
  halted: 'a write could not be taken back, the server stops',
};

/** For `/readyz` and `/healthz`. Not for `/livez`: a restart makes no room. */
export const storeCheck =
  (store: Store) =>
  (probe: string): string | undefined => {
    const { trouble } = store;
    return trouble === undefined || probe === 'livez' ? undefined : WORDS[trouble.kind];
  };

export function createStoreMetrics(metrics: Metrics, store: Store): void {
  const refusing = metrics.gauge({
    name: 'everynode_store_refusing_writes',
    help: 'Whether writes are refused: 1 for the reason that holds (full: all but deletions; failed, halted: all)',
    labels: ['reason'],
  });
  const members = (Object.keys(WORDS) as StoreTrouble['kind'][]).map(
    (reason) => [reason, refusing.with({ reason })] as const,
  );
  metrics.onCollect(() => {
    const { trouble } = store;
    for (const [reason, gauge] of members) gauge.set(trouble?.kind === reason ? 1 : 0);
  });
}
