/**
 * The four that are compared, each in processes of its own with nothing kept from before, ready to take a DaemonSet: the real
 * control plane with the limits it comes with and with raised ones, our whole cluster in one process with a durable store, and
 * the real API server with our DaemonSet controller and scheduler in place of its own, limited like the raised ones.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createNodes } from '../../src/assembly/create-nodes.ts';
import { OPERATOR_RIGHTS } from '../../src/assembly/catalogue/operator-rights.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../../src/core/api/registry/resources.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import type { HttpClient } from '../../src/machinery/client/http/http-client.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { ADMIN, startControlPlane } from '../../test/kubernetes/support/control-plane.ts';
import { BIN, SERVER_FLAG } from '../support/server.ts';
import { clientFrom, READY } from './child-client.ts';
import { startNodeChild } from './node-child.ts';
import type { Contestant, Options } from './plan.ts';
import type { Watched } from './processes.ts';

export interface Stage {
  /** Has all rights. */
  readonly client: HttpClient;
  readonly kubeconfig: string;
  /** Processes whose cost is counted. */
  readonly processes: readonly Watched[];
  /** Keeps the logs of all processes, after a failure. */
  keepLogs(): void;
  stop(): Promise<void>;
}

const QPS = 1000;
const BURST = 1000;
const RAISED = [`--kube-api-qps=${QPS}`, `--kube-api-burst=${BURST}`];
/**
 * Controllers left out on both sides, as is the admission plugin that relies on the first of them: no node here has a
 * heartbeat.
 */
const CONTROLLERS = '*,-node-lifecycle-controller,-taint-eviction-controller,-ttl-controller';
const API_SERVER = ['--disable-admission-plugins=TaintNodesByCondition'];
/**
 * The operator's identity, with the groups of a service account, by which the API server assigns a priority to
 * requests.
 */
const OPERATOR = {
  commonName: 'system:serviceaccount:kube-system:everynode-operator',
  organizations: ['system:serviceaccounts', 'system:serviceaccounts:kube-system'],
};
const OPERATOR_CONTROLLERS = ['daemonset', 'scheduler'];

const scriptPath = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export const setUp = (contestant: Contestant, nodes: number, options: Options): Promise<Stage> =>
  contestant === 'everynode-embedded' ? embedded(nodes) : onKubernetes(contestant, nodes, options);

async function embedded(nodes: number): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'everynode-bench-'));
  let keep = false;
  const clear = (): void => {
    if (keep) process.stderr.write(`the log is kept in ${folder}\n`);
    else rmSync(folder, { recursive: true, force: true });
  };
  const kubeconfig = join(folder, 'kubeconfig');
  const flags = ['--port', '0', '--data-dir', join(folder, 'data'), '--nodes', String(nodes)];
  try {
    const child = await startNodeChild({
      name: 'everynode',
      args: [SERVER_FLAG, BIN, 'up', ...flags, '--write-kubeconfig', kubeconfig],
      folder,
      ready: 'is up at',
      env: { EVERYNODE_HOME: folder },
    });
    const client = await clientFrom(kubeconfig);
    return {
      client,
      kubeconfig,
      processes: [child],
      keepLogs: () => void (keep = true),
      async stop() {
        await client.close();
        await child.stop();
        clear();
      },
    };
  } catch (error) {
    clear();
    throw error;
  }
}

async function onKubernetes(
  contestant: Exclude<Contestant, 'everynode-embedded'>,
  nodes: number,
  { operatorFlags }: Options,
): Promise<Stage> {
  const isOurs = contestant === 'everynode-operator';
  const plane = await startControlPlane({
    apiServer: API_SERVER,
    controllers: isOurs ? `${CONTROLLERS},-daemonset-controller` : CONTROLLERS,
    scheduler: !isOurs,
    clients: contestant === 'kubernetes-default' ? [] : RAISED,
  });
  const children: { stop(): Promise<void> }[] = [];
  const stop = async (): Promise<void> => {
    for (const child of children.toReversed()) await child.stop();
    await plane.stop();
  };
  try {
    const { folder } = plane;
    const client = await plane.clientOf(plane.admin);
    await createNodes(client, [{ name: 'node', count: nodes }], [], realClock, undefined, undefined);
    const kubelets = await startNodeChild({
      name: 'kubelets',
      args: [scriptPath('kubelets-child.ts'), await plane.kubeconfigOf(ADMIN)],
      folder,
      ready: READY,
    });
    children.push(kubelets);
    const processes: Watched[] = [...plane.programs];
    if (isOurs) {
      await grant(client);
      const operator = await startNodeChild({
        name: 'everynode-operator',
        args: [SERVER_FLAG, ...operatorFlags, BIN, 'operator', ...operatorArgs(await plane.kubeconfigOf(OPERATOR))],
        folder,
        ready: 'The cluster is known',
      });
      children.push(operator);
      processes.push(operator);
    }
    return { client, kubeconfig: plane.admin, processes, keepLogs: plane.keepLogs, stop };
  } catch (error) {
    plane.keepLogs();
    await stop();
    throw error;
  }
}

const operatorArgs = (kubeconfig: string): readonly string[] => [
  '--kubeconfig',
  kubeconfig,
  '--controllers',
  OPERATOR_CONTROLLERS.join(),
  '--instead-of-upstream',
  // The flags of the real programs here.
  '--leader-elect=false',
  ...RAISED,
  '--health-port=0',
  '--metrics-port=0',
];

/** Gives the operator the rights it has on any cluster, and no others. */
async function grant(client: Client): Promise<void> {
  const rules = OPERATOR_RIGHTS.filter(
    ({ feature, scope }) => scope === 'cluster' && OPERATOR_CONTROLLERS.includes(feature),
  ).flatMap((rights) => rights.rules);
  const metadata = { name: 'everynode-operator' };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  await client.create(CLUSTER_ROLES, { apiVersion, kind: 'ClusterRole', metadata, rules });
  await client.create(CLUSTER_ROLE_BINDINGS, {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: OPERATOR.commonName }],
  });
}
