/**
 * Controllers of an embedded cluster that an operator could run too. One process elects no leader, so no Lease tells that they
 * act; the server tells it in its `/version` document. That costs no write, and is true for as long as the server answers.
 */
import { VERSION } from '../../core/api/version.ts';
import type { Chosen } from './select.ts';

/** Upstream names of the running controllers that stand in for a part of Kubernetes. */
export const embeddedRuns = (running: readonly Chosen<'embedded'>[]): readonly string[] =>
  running.flatMap(({ row: { insteadOf } }) => (insteadOf === undefined ? [] : [insteadOf.name]));

/** The `/version` document; clients ignore fields that they do not know. */
export const versionDocument = (runs: readonly string[]): object => ({ ...VERSION.document, everynode: { runs } });

/** `everynode.runs` of a `/version` document; undefined where the server is no embedded cluster. */
export function runsIn(document: unknown): readonly string[] | undefined {
  const runs = (document as { readonly everynode?: { readonly runs?: unknown } | null } | null)?.everynode?.runs;
  return Array.isArray(runs) ? runs.filter((name) => typeof name === 'string') : undefined;
}
