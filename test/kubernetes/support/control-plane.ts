/**
 * A real control plane for a test: etcd and kube-apiserver on ports of their own, in a folder of their own, with nothing
 * in them; kube-controller-manager and kube-scheduler as far as a test wants them. All up in about ten seconds.
 */
import { createPublicKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubeconfigText } from '../../../src/assembly/kubeconfig.ts';
import {
  createAuthority,
  issueCertificate,
  type KeyPair,
  type Subject,
} from '../../../src/machinery/certificates/certificates.ts';
import { createHttpClient, type HttpClient } from '../../../src/machinery/client/http/http-client.ts';
import { loadKubeconfig } from '../../../src/machinery/client/http/kubeconfig.ts';
import { realClock } from '../../../src/machinery/time/real-clock.ts';
import { realRandom } from '../../../src/machinery/random/real-random.ts';
import { createSigningKey } from '../../../src/machinery/certificates/signing-key.ts';
import { answersOk, freePorts, startProgram, type Program, type ProgramName } from './programs.ts';
import { startControllerManager, startKubeScheduler } from './upstream.ts';

export interface ControlPlaneOptions {
  /** kube-controller-manager's `--controllers`; none runs unless said. */
  readonly controllers?: string;
  readonly scheduler?: boolean;
  /** More flags of kube-apiserver. */
  readonly apiServer?: readonly string[];
  /** More flags of kube-controller-manager and kube-scheduler. */
  readonly clients?: readonly string[];
}

export interface ControlPlane {
  readonly server: string;
  readonly folder: string;
  /** A kubeconfig file of someone who may do everything. */
  readonly admin: string;
  /** A kubeconfig file of somebody else. */
  kubeconfigOf(subject: Subject): Promise<string>;
  /** A client certificate that is good for so long. */
  certificateOf(subject: Subject, forMs: number): Promise<{ readonly cert: string; readonly key: string }>;
  /** A client with that kubeconfig; closed with the control plane. */
  clientOf(kubeconfig: string): Promise<HttpClient>;
  readonly programs: readonly Program[];
  program(name: ProgramName): Program;
  /** The same again, with the same data at the same place. */
  restart(name: ProgramName, how: 'orderly' | 'killed'): Promise<void>;
  /** Makes etcd forget every revision before this one. */
  compact(revision: string): Promise<void>;
  /** Something went wrong: whoever looks for the reason will want them. They are also kept when it does not come up. */
  keepLogs(): void;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const DAY_MS = 86_400_000;
export const ADMIN: Subject = { commonName: 'admin', organizations: ['system:masters'] };

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, HOST, () => {
      socket.destroy();
      resolve(true);
    }).once('error', reject);
  });

export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const folder = mkdtempSync(join(tmpdir(), 'everynode-kubernetes-'));
  const programs: Program[] = [];
  const clients: HttpClient[] = [];
  const program = (name: ProgramName): Program => {
    const found = programs.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`${name} does not run here`);
    return found;
  };
  let keepsLogs = true;
  const stop = async (): Promise<void> => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    // Whoever needs another goes first.
    for (const program of programs.toReversed()) await program.stop();
    rmSync(keepsLogs ? join(folder, 'etcd') : folder, { recursive: true, force: true });
    if (keepsLogs) process.stderr.write(`the logs of the control plane are kept in ${folder}\n`);
  };
  try {
    const now = realClock.now();
    const authority = await createAuthority('kubernetes', now);
    const serving = await issueCertificate(authority, now, {
      subject: { commonName: 'kube-apiserver' },
      usage: 'server',
      hosts: ['localhost', HOST, 'kubernetes.default.svc'],
    });
    const file = (name: string, text: string): string => {
      const path = join(folder, name);
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    };
    const files = (name: string, { certificate, key }: KeyPair) => ({
      certificate: file(`${name}.crt`, certificate),
      key: file(`${name}.key`, key),
    });
    const ca = files('ca', authority);
    const own = files('server', serving);
    const signing = createSigningKey();
    const signingKey = file('sa.key', signing);
    const verifyingKey = file('sa.pub', createPublicKey(signing).export({ type: 'spki', format: 'pem' }).toString());
    const [etcdPort = 0, peerPort = 0, port = 0] = await freePorts(3);
    const server = `https://${HOST}:${port}`;

    programs.push(await startEtcd(folder, etcdPort, peerPort));
    programs.push(
      await startProgram({
        name: 'kube-apiserver',
        folder,
        isReady: () => answersOk(port, '/readyz'),
        args: [
          `--etcd-servers=http://${HOST}:${etcdPort}`,
          `--bind-address=${HOST}`,
          `--advertise-address=${HOST}`,
          `--secure-port=${port}`,
          `--cert-dir=${join(folder, 'certs')}`,
          `--tls-cert-file=${own.certificate}`,
          `--tls-private-key-file=${own.key}`,
          `--client-ca-file=${ca.certificate}`,
          '--service-account-issuer=https://kubernetes.default.svc',
          `--service-account-key-file=${verifyingKey}`,
          `--service-account-signing-key-file=${signingKey}`,
          '--service-cluster-ip-range=10.96.0.0/16',
          '--authorization-mode=RBAC',
          '--endpoint-reconciler-type=none',
          '--allow-privileged=true',
          ...(options.apiServer ?? []),
        ],
      }),
    );

    let count = 0;
    const kubeconfigOf = async (subject: Subject): Promise<string> => {
      const client = await issueCertificate(authority, now, { subject, usage: 'client' });
      count += 1;
      const text = kubeconfigText({ server, authority: authority.certificate, client, name: subject.commonName });
      return file(`kubeconfig-${count}`, text);
    };
    const certificateOf: ControlPlane['certificateOf'] = async (subject, forMs) => {
      const days = forMs / DAY_MS;
      const { certificate, key } = await issueCertificate(authority, realClock.now(), {
        subject,
        usage: 'client',
        days,
      });
      return { cert: certificate, key };
    };
    const clientOf = async (kubeconfig: string): Promise<HttpClient> => {
      const config = await loadKubeconfig({ path: kubeconfig, clock: realClock });
      const client = createHttpClient(config, { clock: realClock, random: realRandom });
      clients.push(client);
      return client;
    };
    const admin = await kubeconfigOf(ADMIN);
    const args = options.clients ?? [];
    if (options.controllers !== undefined) {
      const kubeconfig = await kubeconfigOf({ commonName: 'system:kube-controller-manager' });
      const { controllers } = options;
      programs.push(await startControllerManager({ folder, kubeconfig, controllers, ca, signingKey, args }));
    }
    if (options.scheduler === true) {
      const kubeconfig = await kubeconfigOf({ commonName: 'system:kube-scheduler' });
      programs.push(await startKubeScheduler({ folder, kubeconfig, args }));
    }
    keepsLogs = false;
    return {
      server,
      folder,
      admin,
      kubeconfigOf,
      certificateOf,
      clientOf,
      programs,
      program,
      async restart(name, how) {
        const old = program(name);
        programs[programs.indexOf(old)] = await old.restart(how);
      },
      async compact(revision) {
        const body = JSON.stringify({ revision, physical: true });
        const answer = await fetch(`http://${HOST}:${etcdPort}/v3/kv/compaction`, { method: 'POST', body });
        if (!answer.ok) throw new Error(await answer.text());
      },
      keepLogs: () => void (keepsLogs = true),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startEtcd(folder: string, port: number, peerPort: number): Promise<Program> {
  const client = `http://${HOST}:${port}`;
  const peer = `http://${HOST}:${peerPort}`;
  return startProgram({
    name: 'etcd',
    folder,
    isReady: () => accepts(port),
    args: [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      `--quota-backend-bytes=${4 * 1024 ** 3}`,
    ],
  });
}
