/**
 * A compiled pod in front of one cluster: everything that does not depend on the node is worked out here, once
 * (kube-scheduler's PreFilter). Good for one version of the cluster; preparing again is cheap, because populations and
 * spread tables are kept up to date by the cluster itself.
 */
import { createNo, type No, type Refusal, refuseEverywhere } from './answer.ts';
import type { ClusterState } from './cluster-state.ts';
import type { CompiledPod } from './compiled-pod.ts';
import { nodeAffinityConflictNo } from './node-affinity.ts';
import type { NamedPart, SchedulerPlugin } from './plugin.ts';
import type { PodRecord } from './pod-record.ts';
import { type StaticVerdicts, verdictsFor } from './static-verdicts.ts';
import { type AffinityView, viewAffinity } from './pod-affinity.ts';
import { spreadTableFor } from './spread-tables.ts';
import type { SpreadView } from './topology-spread.ts';
import { type PodVolumes, resolveVolumes } from './volumes.ts';

export interface PreparedPod {
  readonly compiled: CompiledPod;
  readonly cluster: ClusterState;
  readonly version: number;
  readonly plugins: readonly SchedulerPlugin[];
  /** The parts that plugins take in scheduling this pod; empty for nearly all pods. */
  readonly parts: readonly NamedPart[];
  /** The parts among them that give the pod the place of others. */
  readonly displacing: readonly NamedPart[];
  /** The pod can go nowhere, whatever the node. */
  readonly refusal: Refusal | undefined;
  /** The only nodes worth asking about; `undefined` means all. */
  readonly pinnedNodes: ReadonlySet<string> | undefined;
  /** Why all other nodes are not, where a plugin names the nodes. */
  readonly notPinned: No | undefined;
  /** Verdicts of tolerations and node affinity on each node. */
  readonly verdicts: StaticVerdicts;
  /** Slots where one of the pod's host ports is in use; `undefined` when none is anywhere. */
  readonly portUsers: readonly ReadonlySet<number>[] | undefined;
  /** Free amounts of each extended resource the pod wants, in that order; `undefined`: ask the node states. */
  readonly scalarColumns: readonly ScalarColumn[] | undefined;
  readonly affinity: AffinityView;
  readonly spread: SpreadView | undefined;
  readonly volumes: PodVolumes;
  /** How many of the pod's exclusive claims some pod already uses. */
  readonly exclusiveClaimsInUse: number;
}

const NO_PLUGINS: readonly SchedulerPlugin[] = Object.freeze([]);
const NO_PARTS: readonly NamedPart[] = Object.freeze([]);
/** The last one of each cluster: enough for a caller that asks node by node, and nothing old is held on to. */
const latest = new WeakMap<ClusterState, PreparedPod>();

export function preparePod(
  compiled: CompiledPod,
  cluster: ClusterState,
  plugins: readonly SchedulerPlugin[] = NO_PLUGINS,
): PreparedPod {
  const known = latest.get(cluster);
  const parts = plugins.length === 0 ? NO_PARTS : partsIn(compiled, cluster, plugins);
  if (
    known?.compiled === compiled &&
    known.version === cluster.version &&
    known.plugins === plugins &&
    isSame(known.parts, parts)
  ) {
    return known;
  }
  const prepared = prepare(compiled, cluster, plugins, parts);
  latest.set(cluster, prepared);
  return prepared;
}

function partsIn(
  compiled: CompiledPod,
  cluster: ClusterState,
  plugins: readonly SchedulerPlugin[],
): readonly NamedPart[] {
  let parts: NamedPart[] | undefined;
  for (const plugin of plugins) {
    const part = plugin.partIn(compiled, cluster);
    if (part !== undefined) (parts ??= []).push({ name: plugin.name, part });
  }
  return parts ?? NO_PARTS;
}

const isSame = (a: readonly NamedPart[], b: readonly NamedPart[]): boolean =>
  a === b || (a.length === b.length && a.every(({ part }, index) => part === b[index]?.part));

/** The nodes that the pod's own affinity and all plugins allow. */
function pinsOf(own: ReadonlySet<string> | undefined, parts: readonly NamedPart[]): ReadonlySet<string> | undefined {
  let pins = own;
  for (const { part } of parts) {
    if (part.only !== undefined) pins = pins === undefined ? part.only.nodes : pins.intersection(part.only.nodes);
  }
  return pins;
}

function prepare(
  compiled: CompiledPod,
  cluster: ClusterState,
  plugins: readonly SchedulerPlugin[],
  parts: readonly NamedPart[],
): PreparedPod {
  const { record, nodeAffinity, spread, tolerations } = compiled;
  const volumes = resolveVolumes(compiled.pod, cluster.storage);
  const { hard } = spread;
  const verdicts = verdictsFor(cluster, tolerations, nodeAffinity);
  return {
    compiled,
    cluster,
    version: cluster.version,
    plugins,
    parts,
    displacing: parts.length === 0 ? NO_PARTS : parts.filter(({ part }) => part.displaced !== undefined),
    refusal: refusalOf(compiled, volumes) ?? parts.find(({ part }) => part.refusal !== undefined)?.part.refusal,
    pinnedNodes: parts.length === 0 ? nodeAffinity.pinnedNodes : pinsOf(nodeAffinity.pinnedNodes, parts),
    notPinned: parts.find(({ part }) => part.only !== undefined)?.part.only?.others,
    verdicts,
    portUsers: portUsersOf(record, cluster),
    scalarColumns: scalarColumnsOf(compiled, cluster),
    affinity: viewAffinity(record, cluster),
    spread:
      hard.length === 0
        ? undefined
        : {
            table: spreadTableFor(cluster, record.namespace, hard, verdicts),
            self: hard.map((constraint) => (constraint.selector.matches(record.labels) ? 1 : 0)),
          },
    volumes,
    exclusiveClaimsInUse: volumes.exclusiveClaims.filter((claim) => cluster.index.claimUsers(claim) > 0).length,
  };
}

interface ScalarColumn {
  readonly wanted: number;
  readonly free: Float64Array;
}

const NO_SCALARS: readonly ScalarColumn[] = Object.freeze([]);

function scalarColumnsOf(compiled: CompiledPod, cluster: ClusterState): readonly ScalarColumn[] | undefined {
  const { scalars } = compiled.requests;
  if (scalars.size === 0) return NO_SCALARS;
  const columns: ScalarColumn[] = [];
  for (const [name, wanted] of scalars) {
    const free = cluster.columns.free.scalars.get(name);
    if (free === undefined || typeof wanted !== 'number') return undefined;
    columns.push({ wanted, free });
  }
  return columns;
}

function portUsersOf(record: PodRecord, cluster: ClusterState): readonly ReadonlySet<number>[] | undefined {
  const users = record.ports.map((port) => cluster.columns.portUsers(port.slot)).filter((set) => set !== undefined);
  return users.length === 0 ? undefined : users;
}

const UNREADABLE_FIX = 'correct the label selectors in the pod affinity terms and topology spread constraints';

/** In the order kube-scheduler's PreFilter plugins run; the first refusal is the one it reports. */
function refusalOf(compiled: CompiledPod, volumes: PodVolumes): Refusal | undefined {
  if (compiled.nodeAffinity.pinnedNodes?.size === 0) return refuseEverywhere(nodeAffinityConflictNo());
  if (volumes.refusal !== undefined) return refuseEverywhere(volumes.refusal);
  if (compiled.spread.invalid) {
    const message = 'get constraints from pod: a labelSelector of its topologySpreadConstraints cannot be read';
    return refuseEverywhere(createNo('SpreadUnreadable', () => UNREADABLE_FIX, { message }));
  }
  const { problem } = compiled.record.affinity ?? {};
  if (problem === undefined) return undefined;
  return refuseEverywhere(createNo('PodAffinityUnreadable', () => UNREADABLE_FIX, { message: problem }));
}
