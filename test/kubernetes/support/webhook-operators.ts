/**
 * Operators as processes behind the Service of their webhooks, with the account and the roles of the plain manifests and no
 * others. There is no kube-proxy: the API server asks endpoints itself, and they are entered here, as they would be for pods.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { ENDPOINT_SLICES } from '../../../src/core/api/registry/resources.ts';
import type { TokenRequest } from '../../../src/core/api/types/authentication-v1.ts';
import type { Resource } from '../../../src/core/kube/objects.ts';
import type { Client } from '../../../src/machinery/client/client.ts';
import { until } from './daemonset-world.ts';

export const NAMESPACE = 'everynode-system';
export const WEBHOOK = 'everynode-webhook';
const ACCOUNT = { namespace: NAMESPACE, name: 'everynode' };
const BIN = join(import.meta.dirname, '..', '..', '..', 'bin', 'everynode.mjs');
const TOKENS: Resource<TokenRequest> = {
  ...{ group: '', version: 'v1', resource: 'serviceaccounts', kind: 'TokenRequest' },
  namespaced: true,
};

/** Endpoints may not be on loopback. */
export const ownAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address;

/** A kubeconfig of the operator's own account. */
export async function accountKubeconfig(admin: Client, adminFile: string, file: string): Promise<string> {
  const spec = { expirationSeconds: 7200 };
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: ACCOUNT, spec };
  const { status } = await admin.create(TOKENS, request, { subresource: 'token' });
  const config = parse(readFileSync(adminFile, 'utf8')) as { users: { user: object }[] };
  for (const user of config.users) user.user = { token: status?.token };
  writeFileSync(file, stringify(config), { mode: 0o600 });
  return file;
}

export interface WebhookOperator {
  readonly name: string;
  readonly port: number;
  log(): string;
  isRunning(): boolean;
  /** Out of the Service first, then SIGTERM, as it happens to pods; answers with the exit code. */
  leave(): Promise<number | null>;
  kill(): Promise<void>;
}

export interface StartOptions {
  readonly admin: Client;
  readonly kubeconfig: string;
  readonly name: string;
  readonly lifetime: string;
}

/** Resolves when it serves and is an endpoint of the Service. */
export async function startWebhookOperator(options: StartOptions): Promise<WebhookOperator> {
  const { admin, kubeconfig, name, lifetime } = options;
  const flags = [
    ...['--kubeconfig', kubeconfig, '--instance', name, '--controllers', 'rollout-driver'],
    ...['--leader-elect-resource-namespace', NAMESPACE, '--health-port', '0', '--metrics-port', '0'],
    ...[
      '--leader-elect-lease-duration',
      '6s',
      '--leader-elect-renew-deadline',
      '4s',
      '--leader-elect-retry-period',
      '1s',
    ],
    ...['--webhook-port', '0', '--webhook-bind-address', '0.0.0.0', '--webhook-namespace', NAMESPACE],
    ...['--webhook-name', WEBHOOK, '--webhook-cert-lifetime', lifetime],
  ];
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', process.execPath, BIN, 'operator', ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => void (log += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const port = await until(
    () => Promise.resolve(portIn(log, child)),
    (found) => found !== undefined,
  );
  await enterEndpoint(admin, name, port ?? 0);
  const forget = () => admin.delete(ENDPOINT_SLICES, { namespace: NAMESPACE, name }).catch(() => undefined);
  return {
    name,
    port: port ?? 0,
    log: () => log,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async leave() {
      await forget();
      // As long as preStop sleeps: API servers have heard of it then.
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      child.kill('SIGTERM');
      return ended;
    },
    async kill() {
      await forget();
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function portIn(log: string, child: ChildProcess): number | undefined {
  if (child.exitCode !== null) throw new Error(`the operator ended with ${child.exitCode}:\n${log}`);
  const line = log.split('\n').find((each) => each.includes('Serving admission webhooks'));
  return line === undefined ? undefined : (JSON.parse(line) as { port: number }).port;
}

async function enterEndpoint(admin: Client, name: string, port: number): Promise<void> {
  await admin.create(ENDPOINT_SLICES, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace: NAMESPACE, labels: { 'kubernetes.io/service-name': WEBHOOK } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [ownAddress() ?? ''], conditions: { ready: true } }],
    ports: [{ name: 'webhook', port, protocol: 'TCP' }],
  });
}
