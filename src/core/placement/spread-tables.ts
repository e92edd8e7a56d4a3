/** The spread tables of a cluster, kept while they are in use so that the next pod of the same template finds its ready. */
import type { ClusterState } from './cluster-state.ts';
import type { StaticVerdicts } from './static-verdicts.ts';
import { createSpreadTable, type SpreadConstraint, type SpreadTable, updateSpreadTable } from './topology-spread.ts';

/** Every pod event costs one step a table, so only the most recently used are kept. */
const MAX_TABLES = 32;

interface Shelf {
  topologyVersion: number;
  /** Most recently used last. */
  tables: SpreadTable[];
}

const shelves = new WeakMap<ClusterState, Shelf>();

function shelfOf(cluster: ClusterState): Shelf {
  let shelf = shelves.get(cluster);
  if (shelf === undefined) {
    const created: Shelf = { topologyVersion: cluster.topologyVersion, tables: [] };
    cluster.index.listen((kind, node, delta) => {
      // A stale shelf is thrown away at the next question anyway.
      if (created.topologyVersion !== cluster.topologyVersion) created.tables = [];
      for (const table of created.tables) updateSpreadTable(table, kind, node, delta);
    });
    shelves.set(cluster, (shelf = created));
  }
  if (shelf.topologyVersion !== cluster.topologyVersion) {
    shelf.topologyVersion = cluster.topologyVersion;
    shelf.tables = [];
  }
  return shelf;
}

export function spreadTableFor(
  cluster: ClusterState,
  namespace: string,
  constraints: readonly SpreadConstraint[],
  verdicts: StaticVerdicts,
): SpreadTable {
  const { affinity, tolerations } = verdicts;
  const shelf = shelfOf(cluster);
  const at = shelf.tables.findIndex(
    (table) =>
      table.constraints === constraints &&
      table.verdicts.affinity === affinity &&
      table.verdicts.tolerations === tolerations &&
      table.namespace === namespace,
  );
  const found = at < 0 ? undefined : shelf.tables.splice(at, 1)[0];
  const table = found ?? createSpreadTable(namespace, constraints, verdicts, cluster);
  if (shelf.tables.length >= MAX_TABLES) shelf.tables.shift();
  shelf.tables.push(table);
  return table;
}
