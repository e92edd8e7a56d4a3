/** Performs a scenario's steps on a cluster, as its users, its machines and its cloud would. */
import { RESERVATION_LABELS } from '../../../core/api/names.ts';
import type { Registry } from '../../../core/api/registry/registry.ts';
import { DAEMON_SETS, NODES, PODS } from '../../../core/api/registry/resources.ts';
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import { formatTime } from '../../../core/kube/time.ts';
import type { Client } from '../../../machinery/client/client.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import { keyOf } from '../../../machinery/cache/object-keys.ts';
import type { SeededRandom } from '../../../machinery/random/seeded-random.ts';
import { nodesOf } from '../../../nodes/fleet/node-groups.ts';
import { targetOf, type ClusterView } from '../cluster-view.ts';
import { SimulationError } from '../errors.ts';
import { createHands } from './hands.ts';
import { createNodeActions, groupOf } from './node-actions.ts';
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
  /** Moves the wall clock alone. */
  readonly jump: (byMs: number) => void;
  readonly note: (text: string) => void;
}

export interface Play {
  /** Creates all initial objects before any actor starts. */
  setUp(): Promise<void>;
  /** When the step happens. */
  timeOf(step: Step, index: number): number;
  perform(step: Step, index: number): Promise<void>;
}

type Template = DaemonSet['spec']['template'];

const orderOf = ({ metadata }: Pod): string | undefined => metadata.labels?.[RESERVATION_LABELS.order];

export function createPlay(scenario: Scenario, stage: Stage): Play {
  const { client, clock, view, random } = stage;
  /** Templates a daemon had before, newest last. */
  const templates = new Map<string, Template[]>();
  let workloads = 0;

  const remember = (name: string, template: Template): void => {
    const known = templates.get(name);
    if (known === undefined) templates.set(name, [template]);
    else known.push(template);
  };
  const hands = createHands(client, stage.registry, stage.clock, (object: KubeObject) => {
    if (object.kind === 'DaemonSet') remember(object.metadata.name, (object as DaemonSet).spec.template);
  });
  const nodes = createNodeActions(scenario.nodes, hands, view, clock);

  /** The seed chooses among the nodes there are; undefined when there is none. */
  function chooseNode(choice: string, index: number): string | undefined {
    const match = /^any(?: of (.+))?$/.exec(choice);
    if (match === null) return choice;
    const names = [...view.nodes.keys()]
      .filter((name) => match[1] === undefined || groupOf(name) === match[1])
      .toSorted();
    return names.length === 0 ? undefined : names[random.fork(`choice ${index}`).integer(names.length)];
  }

  const namespaceOf = (daemon: string): string => {
    for (const { metadata } of view.daemonSets.values()) if (metadata.name === daemon) return metadata.namespace ?? '';
    return 'default';
  };
  const editTemplate = (name: string, make: (old: Template) => Template): Promise<void> =>
    hands.change(DAEMON_SETS, { name, namespace: namespaceOf(name) }, (daemon) => {
      const template = make(daemon.spec.template);
      return template === daemon.spec.template ? daemon : { ...daemon, spec: { ...daemon.spec, template } };
    });

  const setImage = (name: string, image: string): Promise<void> =>
    editTemplate(name, (old) => {
      if (old.spec === undefined) return old;
      remember(name, old);
      const containers = old.spec.containers.map((container, i) => (i === 0 ? { ...container, image } : container));
      return { ...old, spec: { ...old.spec, containers } };
    });

  async function rollback(name: string): Promise<void> {
    const before = templates.get(name)?.pop();
    if (before !== undefined) await editTemplate(name, () => before);
  }

  async function removePods(matches: (pod: Stored<Pod>) => boolean, count = Infinity): Promise<void> {
    const pods = [...view.pods.values()]
      .filter(matches)
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
      .slice(0, count);
    for (const pod of pods) await hands.remove(PODS, keyOf(pod));
  }

  const kill = (daemon: string | undefined, order: string | undefined, node: string | undefined): Promise<void> =>
    removePods((pod) => {
      const owner = controllerOf(pod);
      if (owner?.kind !== (order === undefined ? 'DaemonSet' : 'Ticket')) return false;
      const ours = order === undefined ? daemon === undefined || owner.name === daemon : orderOf(pod) === order;
      return ours && (node === undefined || targetOf(pod) === node);
    });

  async function act(action: Action, index: number): Promise<void> {
    switch (action.do) {
      case 'apply':
        return hands.apply(action.object);
      case 'patch': {
        const resource = hands.resourceOf(action);
        return hands.merge(resource, hands.keyIn(resource, action), action.merge);
      }
      case 'delete': {
        const resource = hands.resourceOf(action);
        const { propagation } = action;
        const how = propagation === undefined ? {} : { propagationPolicy: propagation };
        return hands.remove(resource, hands.keyIn(resource, action), how);
      }
      case 'join':
        return nodes.join(action.group, action.count ?? 1);
      case 'image':
        return setImage(action.daemon, action.image);
      case 'rollback':
        return rollback(action.daemon);
      case 'workload':
        workloads += 1;
        for (const pod of workloadPods(action, workloads)) await client.create(PODS, pod);
        return undefined;
      case 'finish':
        return removePods(({ metadata }) => metadata.labels?.['workload'] === action.workload, action.count);
      case 'kill':
        return kill(
          action.daemon,
          action.order,
          action.node === undefined ? undefined : chooseNode(action.node, index),
        );
      case 'jump':
        return stage.jump(action.byMs);
      case 'crash':
        return stage.crash(action.actor, action.downMs);
      case 'fail':
      case 'recover':
      case 'flap':
      case 'cordon':
      case 'uncordon':
      case 'drain':
      case 'remove':
      case 'recreate':
      case 'taint':
      case 'untaint':
      case 'label': {
        const node = chooseNode(action.node, index);
        return node === undefined ? undefined : nodes.act(action, node);
      }
    }
  }

  return {
    async setUp() {
      const now = formatTime(clock.now());
      for (const group of scenario.nodes) for (const node of nodesOf(group, now)) await client.create(NODES, node);
      for (const object of scenario.objects) await hands.apply(object);
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
  return `${verb} ${JSON.stringify(rest)}`;
}
