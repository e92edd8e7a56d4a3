/**
 * What an embedded cluster runs that an operator could run too. Nobody elects a leader inside one process, so no Lease says who
 * acts; the server says it itself, in its answer to `/version`. That costs no write, and is true for as long as it answers.
 */
import { VERSION } from '../../core/api/version.ts';

export const EMBEDDED_RUNS = ['daemonset-controller', 'kube-scheduler'] as const;

export type EmbeddedRun = (typeof EMBEDDED_RUNS)[number];

/** What `/version` answers; clients take no notice of fields they do not know. */
export const versionDocument = (runs: readonly EmbeddedRun[]): object => ({ ...VERSION.document, everynode: { runs } });

/** What such an answer says; undefined from any other server, which says nothing. */
export function runsIn(document: unknown): readonly string[] | undefined {
  const runs = (document as { readonly everynode?: { readonly runs?: unknown } | null } | null)?.everynode?.runs;
  return Array.isArray(runs) ? runs.filter((name) => typeof name === 'string') : undefined;
}
