/** Does to a cluster what a scenario says, as its users, its machines and its cloud would. */
import { FLEET_ANNOTATIONS } from '../../../core/api/names.ts';
import type { Registry } from '../../../core/api/registry/registry.ts';
import { DAEMON_SETS, NODES, PODS } from '../../../core/api/registry/resources.ts';
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { Node, NodeCondition, Pod, Taint } from '../../../core/api/types/core-v1.ts';
import type { Json } from '../../../core/kube/json.ts';
import type { KubeObject, Resource, Stored } from '../../../core/kube/objects.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { formatTime } from '../../../core/kube/time.ts';
import type { Client } from '../../../machinery/client.ts';
import type { Clock } from '../../../machinery/clock.ts';
import { keyOf } from '../../../machinery/object-keys.ts';
import type { SeededRandom } from '../../../machinery/seeded-random.ts';
import { nodesOf, type NodeGroup } from '../../../nodes/fleet/node-groups.ts';
import type { ClusterView } from '../cluster-view.ts';
import { targetOf } from '../cluster-view.ts';
import { SimulationError } from '../errors.ts';
import type { Action, Scenario, Step } from './scenario.ts';
import { workloadPods } from './workload.ts';

export interface Stage {
  readonly client: Client;
  readonly clock: Clock;
  readonly view: ClusterView;
  readonly registry: Registry;
  /** The scenario's own dice: the same with and without faults. */
  readonly random: SeededRandom;
  readonly crash: (actor: string, downMs: number) => void;
  readonly note: (text: string) => void;
}

const UNREACHABLE = 'node.kubernetes.io/unreachable';

export interface Play {
  /** Everything there is before anybody acts. */
  setUp(): Promise<void>;
  /** When the step happens. */
  timeOf(step: Step, index: number): number;
  perform(step: Step, index: number): Promise<void>;
}

export function createPlay(scenario: Scenario, stage: Stage): Play {
  const { client, clock, view, random } = stage;
  const now = (): string => formatTime(clock.now());
  /** How many nodes each group has ever had: names are not used twice by joining. */
  const joined = new Map<string, number>(scenario.nodes.map(({ name, count }) => [name, count]));
  /** Templates a daemon had before, newest last. */
  const templates = new Map<string, DaemonSet['spec']['template'][]>();

  function resourceOf({ apiVersion, kind }: { readonly apiVersion?: string; readonly kind: string }): Resource {
    const found = stage.registry
      .all()
      .find(
        (each) =>
          each.kind === kind &&
          (apiVersion === undefined ||
            apiVersion === (each.group === '' ? each.version : `${each.group}/${each.version}`)),
      );
    if (found === undefined)
      throw new SimulationError('EN_SIMULATION_STEP', `no such kind: ${apiVersion ?? ''} ${kind}`);
    return found;
  }

  const placed = (object: KubeObject, resource: Resource): KubeObject =>
    resource.namespaced && object.metadata.namespace === undefined
      ? { ...object, metadata: { ...object.metadata, namespace: 'default' } }
      : object;

  async function apply(object: KubeObject): Promise<void> {
    const resource = resourceOf(object);
    const wanted = placed(object, resource);
    try {
      await client.create(resource, wanted);
    } catch (error) {
      if (!isStatus(error, 'AlreadyExists')) throw error;
      const current = await client.get(resource, keyOf(wanted));
      rememberTemplate(current);
      const { resourceVersion, uid } = current.metadata;
      await client.update(resource, { ...current, ...wanted, metadata: { ...wanted.metadata, resourceVersion, uid } });
    }
  }

  function rememberTemplate(object: KubeObject): void {
    if (object.kind !== 'DaemonSet') return;
    const { metadata, spec } = object as DaemonSet;
    const known = templates.get(metadata.name);
    if (known === undefined) templates.set(metadata.name, [spec.template]);
    else known.push(spec.template);
  }

  /** Nobody competes with a user for long: a conflict is tried again at once. */
  async function change<T extends KubeObject>(
    resource: Resource<T>,
    key: { readonly name: string; readonly namespace?: string },
    make: (object: Stored<T>) => T,
    subresource?: string,
  ): Promise<void> {
    for (;;) {
      try {
        const object = await client.get(resource, key);
        const changed = make(object);
        if (changed !== object)
          await client.update(resource, changed, subresource === undefined ? {} : { subresource });
        return;
      } catch (error) {
        if (isStatus(error, 'NotFound')) return;
        if (!isStatus(error, 'Conflict')) throw error;
      }
    }
  }

  async function patch(resource: Resource, key: { name: string; namespace?: string }, body: Json): Promise<void> {
    try {
      if (resource.kind === 'DaemonSet') rememberTemplate(await client.get(resource, key));
      await client.patch(resource, key, { type: 'merge', body });
    } catch (error) {
      if (!isStatus(error, 'NotFound')) throw error;
    }
  }

  const removeQuietly = async (resource: Resource, key: { name: string; namespace?: string }): Promise<void> => {
    await client.delete(resource, key).catch((error: unknown) => {
      if (!isStatus(error, 'NotFound')) throw error;
    });
  };

  function chooseNode(choice: string, index: number): string | undefined {
    const match = /^any(?: of (.+))?$/.exec(choice);
    if (match === null) return choice;
    const names = [...view.nodes.keys()]
      .filter((name) => match[1] === undefined || groupOf(name) === match[1])
      .toSorted();
    return names.length === 0 ? undefined : names[random.fork(`choice ${index}`).integer(names.length)];
  }

  const groupOf = (node: string): string => node.slice(0, node.lastIndexOf('-'));

  const editNode = (name: string, make: (node: Stored<Node>) => Node): Promise<void> => change(NODES, { name }, make);
  const withTaints = (node: Stored<Node>, taints: readonly Taint[]): Node => {
    const { taints: _, ...spec } = node.spec;
    return { ...node, spec: taints.length === 0 ? spec : { ...spec, taints } };
  };
  const without = (node: Stored<Node>, key: string): readonly Taint[] =>
    (node.spec.taints ?? []).filter((taint) => taint.key !== key);

  const annotated = (node: Stored<Node>, simulated: string): Stored<Node> => ({
    ...node,
    metadata: {
      ...node.metadata,
      annotations: { ...node.metadata.annotations, [FLEET_ANNOTATIONS.simulated]: simulated },
    },
  });

  /** The kubelet is gone; what the node lifecycle controller makes of that. */
  async function fail(name: string): Promise<void> {
    const taints: readonly Taint[] = [
      { key: UNREACHABLE, effect: 'NoSchedule' },
      { key: UNREACHABLE, effect: 'NoExecute' },
    ];
    await editNode(name, (node) =>
      annotated(withTaints(node, [...without(node, UNREACHABLE), ...taints]) as Stored<Node>, 'false'),
    );
    const lost = (condition: NodeCondition): NodeCondition =>
      condition.type !== 'Ready' || condition.status === 'Unknown'
        ? condition
        : { ...condition, status: 'Unknown', reason: 'NodeStatusUnknown', lastTransitionTime: now() };
    await change(
      NODES,
      { name },
      (node) => ({ ...node, status: { ...node.status, conditions: (node.status?.conditions ?? []).map(lost) } }),
      'status',
    );
  }

  const recover = (name: string): Promise<void> =>
    editNode(name, (node) => annotated(withTaints(node, without(node, UNREACHABLE)) as Stored<Node>, 'true'));

  const nodeNamed = (name: string): Node | undefined => {
    const group = scenario.nodes.find((each) => each.name === groupOf(name));
    return group === undefined ? undefined : ofGroup(group, Number(name.slice(name.lastIndexOf('-') + 1)));
  };
  const ofGroup = (group: NodeGroup, index: number): Node | undefined => {
    for (const node of nodesOf({ ...group, count: index + 1 }, now())) {
      if (node.metadata.name === `${group.name}-${index}`) return node;
    }
    return undefined;
  };

  async function join(groupName: string, count: number): Promise<void> {
    const group = scenario.nodes.find(({ name }) => name === groupName);
    if (group === undefined) throw new SimulationError('EN_SIMULATION_STEP', `no such node group: ${groupName}`);
    for (let i = 0; i < count; i += 1) {
      const index = joined.get(groupName) ?? 0;
      joined.set(groupName, index + 1);
      const node = ofGroup(group, index);
      if (node !== undefined) await client.create(NODES, node);
    }
  }

  async function recreate(name: string): Promise<void> {
    const node = nodeNamed(name);
    await removeQuietly(NODES, { name });
    if (node !== undefined) await client.create(NODES, node);
  }

  const isDaemonPod = (pod: Pod): boolean => controllerOf(pod)?.kind === 'DaemonSet';

  async function drain(name: string): Promise<void> {
    await editNode(name, (node) => ({ ...node, spec: { ...node.spec, unschedulable: true } }));
    const pods = [...view.podsOn(name)].filter((pod) => !isDaemonPod(pod));
    for (const pod of pods) {
      await client.evict(keyOf(pod)).catch((error: unknown) => {
        if (!isStatus(error, 'NotFound') && !isStatus(error, 'TooManyRequests')) throw error;
      });
    }
  }

  const editDaemon = (name: string, template: (old: DaemonSet['spec']['template']) => DaemonSet['spec']['template']) =>
    change(DAEMON_SETS, { name, namespace: namespaceOf(name) }, (daemon) => {
      const next = template(daemon.spec.template);
      return next === daemon.spec.template ? daemon : { ...daemon, spec: { ...daemon.spec, template: next } };
    });

  const namespaceOf = (daemon: string): string => {
    for (const { metadata } of view.daemonSets.values()) if (metadata.name === daemon) return metadata.namespace ?? '';
    return 'default';
  };

  async function setImage(name: string, image: string): Promise<void> {
    await editDaemon(name, (old) => {
      const containers = (old.spec?.containers ?? []).map((container, i) =>
        i === 0 ? { ...container, image } : container,
      );
      if (old.spec === undefined) return old;
      const known = templates.get(name);
      if (known === undefined) templates.set(name, [old]);
      else known.push(old);
      return { ...old, spec: { ...old.spec, containers } };
    });
  }

  async function rollback(name: string): Promise<void> {
    const before = templates.get(name)?.pop();
    if (before !== undefined) await editDaemon(name, () => before);
  }

  async function kill(daemon: string | undefined, node: string | undefined): Promise<void> {
    const pods = [...view.pods.values()].filter(
      (pod) =>
        isDaemonPod(pod) &&
        (daemon === undefined || controllerOf(pod)?.name === daemon) &&
        (node === undefined || targetOf(pod) === node),
    );
    for (const pod of pods) await removeQuietly(PODS, { namespace: '', ...keyOf(pod) });
  }

  async function finish(workload: string, count = Infinity): Promise<void> {
    const pods = [...view.pods.values()]
      .filter(({ metadata }) => metadata.labels?.['workload'] === workload)
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
      .slice(0, count);
    for (const pod of pods) await removeQuietly(PODS, { namespace: '', ...keyOf(pod) });
  }

  let workloads = 0;

  async function act(action: Action, index: number): Promise<void> {
    const node = 'node' in action && action.node !== undefined ? chooseNode(action.node, index) : undefined;
    switch (action.do) {
      case 'apply':
        return apply(action.object);
      case 'patch': {
        const resource = resourceOf(action);
        const key = { name: action.name, ...(resource.namespaced ? { namespace: action.namespace ?? 'default' } : {}) };
        return patch(resource, key, action.merge);
      }
      case 'delete': {
        const resource = resourceOf(action);
        return removeQuietly(resource, {
          name: action.name,
          ...(resource.namespaced ? { namespace: action.namespace ?? 'default' } : {}),
        });
      }
      case 'join':
        return join(action.group, action.count ?? 1);
      case 'image':
        return setImage(action.daemon, action.image);
      case 'rollback':
        return rollback(action.daemon);
      case 'workload': {
        const pods = workloadPods(action, (workloads += 1));
        for (const pod of pods) await client.create(PODS, pod);
        return undefined;
      }
      case 'finish':
        return finish(action.workload, action.count);
      case 'kill':
        return kill(action.daemon, node);
      case 'crash':
        return stage.crash(action.actor, action.downMs);
      default:
        return node === undefined ? undefined : actOnNode(action, node);
    }
  }

  async function actOnNode(action: Extract<Action, { readonly node: string }>, node: string): Promise<void> {
    switch (action.do) {
      case 'fail':
        return fail(node);
      case 'recover':
        return recover(node);
      case 'flap':
        for (let i = 0; i < action.times; i += 1) {
          await fail(node);
          await clock.sleep(action.everyMs / 2);
          await recover(node);
          await clock.sleep(action.everyMs / 2);
        }
        return undefined;
      case 'cordon':
        return editNode(node, (old) => ({ ...old, spec: { ...old.spec, unschedulable: true } }));
      case 'uncordon':
        return editNode(node, (old) => {
          const { unschedulable: _, ...spec } = old.spec;
          return { ...old, spec };
        });
      case 'drain':
        return drain(node);
      case 'remove':
        return removeQuietly(NODES, { name: node });
      case 'recreate':
        return recreate(node);
      case 'taint':
        return editNode(node, (old) => withTaints(old, [...without(old, action.taint.key), action.taint]));
      case 'untaint':
        return editNode(node, (old) => withTaints(old, without(old, action.key)));
      case 'label':
        return editNode(node, (old) => {
          const labels = Object.entries({ ...old.metadata.labels, ...action.labels }).filter(
            ([, value]) => value !== '',
          );
          return { ...old, metadata: { ...old.metadata, labels: Object.fromEntries(labels) } };
        });
    }
  }

  return {
    async setUp() {
      for (const group of scenario.nodes) for (const node of nodesOf(group, now())) await client.create(NODES, node);
      for (const object of scenario.objects) await apply(object);
    },
    timeOf({ at }, index) {
      if (typeof at === 'number') return at;
      const [from, to] = at;
      return from + random.fork(`time ${index}`).integer(Math.max(1, to - from));
    },
    async perform({ action, line }, index) {
      stage.note(`step ${index}: ${describeAction(action)}`);
      try {
        await act(action, index);
      } catch (error) {
        const where = line === undefined ? `step ${index}` : `step ${index}, line ${line}`;
        const { message } = error as Error;
        throw new SimulationError('EN_SIMULATION_STEP', `${where} (${action.do}): ${message}`, { cause: error });
      }
    },
  };
}

export function describeAction(action: Action): string {
  const { do: verb, ...rest } = action;
  if (action.do === 'apply') return `apply ${action.object.kind} ${action.object.metadata.name}`;
  return `${verb} ${JSON.stringify(rest as unknown as Json)}`;
}
