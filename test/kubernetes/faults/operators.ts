/** Operators as processes of their own, watched over as a kubelet watches over a container: what ends is started again. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { LEASES } from '../../../src/core/api/registry/resources.ts';
import type { Client } from '../../../src/machinery/client/client.ts';
import { until } from '../support/daemonset-world.ts';

const BIN = join(import.meta.dirname, '..', '..', '..', 'bin', 'everynode.mjs');
const LEASE = { namespace: 'kube-system', name: 'everynode-operator' };
const RESTART_MS = 500;

export interface Operators {
  /** Who leads; a process that was started again is somebody else. */
  leader(): Promise<string>;
  /** The leader once it is another than this one. */
  leaderAfter(leader: string): Promise<string>;
  signal(leader: string, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void;
  /** How often they ended by themselves or were ended. */
  restarts(): number;
  stop(): Promise<void>;
}

export function startOperators(
  names: readonly string[],
  { client, kubeconfig, folder }: { readonly client: Client; readonly kubeconfig: string; readonly folder: string },
): Operators {
  const children = new Map<string, ChildProcess>();
  let restarts = 0;
  let isOver = false;
  const start = (name: string): void => {
    const log = openSync(join(folder, `operator-${name}.log`), 'a');
    const flags = [
      ...['--kubeconfig', kubeconfig, '--instance', name, '--controllers', 'daemonset,scheduler'],
      ...['--instead-of-upstream', '--health-port', '0', '--metrics-port', '0', '--log-format', 'text'],
      // Short, so that a test need not wait for long; the proportions are those of production.
      ...['--leader-elect-lease-duration', '6s', '--leader-elect-renew-deadline', '4s'],
      ...['--leader-elect-retry-period', '800ms', '--kube-api-qps', '1000', '--kube-api-burst', '1000'],
    ];
    const child = spawn(
      'setpriv',
      ['--pdeathsig', 'KILL', '--', process.execPath, '--max-semi-space-size=8', BIN, 'operator', ...flags],
      { stdio: ['ignore', log, log] },
    );
    closeSync(log);
    children.set(name, child);
    child.once('exit', () => {
      if (isOver) return;
      restarts += 1;
      setTimeout(() => !isOver && start(name), RESTART_MS);
    });
  };
  for (const name of names) start(name);

  const leader = async (): Promise<string> => {
    const lease = await client.get(LEASES, LEASE).catch(() => undefined);
    return lease?.spec?.holderIdentity ?? '';
  };
  return {
    leader: () => until(leader, (name) => name !== ''),
    leaderAfter: (before) => until(leader, (name) => name !== '' && name !== before),
    signal: (identity, signal) => void children.get(identity.split('_')[0] ?? '')?.kill(signal),
    restarts: () => restarts,
    async stop() {
      isOver = true;
      await Promise.all(
        [...children.values()].map(
          (child) =>
            new Promise<void>((resolve) => {
              if (child.exitCode !== null || child.signalCode !== null) return resolve();
              child.once('exit', () => resolve());
              child.kill('SIGKILL');
            }),
        ),
      );
    },
  };
}
