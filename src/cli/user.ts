/**
 * `everynode user`: people and what they may do. A user is a certificate the cluster signed: it carries the name and the
 * groups, and roles are bound to those. Works on whatever cluster the kubeconfig names, through its API alone.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { kubeconfigText } from '../assembly/kubeconfig.ts';
import { issueUserCertificate } from '../assembly/user-certificate.ts';
import { realClock } from '../machinery/time/real-clock.ts';
import { realRandom } from '../machinery/random/real-random.ts';
import { createHttpClient, type HttpClient } from '../machinery/client/http/http-client.ts';
import { loadKubeconfig } from '../machinery/client/http/kubeconfig.ts';
import { StatusError } from '../core/kube/status-error.ts';
import type { RestConfig } from '../machinery/client/http/rest-config.ts';
import { CliError } from './support/cli-error.ts';
import { lastKubeconfig } from './support/home.ts';
import { writeKubeconfig } from './kubeconfig-file.ts';
import { bindUser, checkGrant, grantsTable, unbindUser } from './user-bindings.ts';

export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

export interface UserAddFlags extends ClusterFlags {
  readonly group: readonly string[];
  readonly role?: string;
  readonly namespace?: string;
  readonly days: string;
  readonly writeKubeconfig?: string;
}

const say = (text: string): void => void process.stderr.write(text);
const MAX_DAYS = 365;

export async function userAdd(name: string, flags: UserAddFlags): Promise<void> {
  const days = Number(flags.days);
  if (!/^\d+$/.test(flags.days) || days < 1 || days > MAX_DAYS) {
    throw new CliError(`invalid argument ${JSON.stringify(flags.days)} for --days: expected 1 to ${MAX_DAYS}`);
  }
  if (flags.namespace !== undefined && flags.role === undefined) {
    throw new CliError('--namespace says where a role holds', 'Name the role too: --role view');
  }
  if (name.trim() === '') throw new CliError('the name is empty');
  await withClient(flags, async (client, config) => {
    if (flags.role !== undefined) await checkGrant(client, flags.role, flags.namespace);
    const subject = { commonName: name, organizations: flags.group };
    const credentials = await issueUserCertificate(client, subject, days, { clock: realClock, random: realRandom });
    if (flags.role !== undefined) say(`${await bindUser(client, name, flags.role, flags.namespace)}\n`);
    const text = kubeconfigText({
      server: config.server,
      authority: String(config.tls?.ca ?? ''),
      client: credentials,
      name: `${name}@everynode`,
      ...(flags.namespace === undefined ? {} : { namespace: flags.namespace }),
    });
    if (flags.writeKubeconfig === undefined) {
      process.stdout.write(text);
      return;
    }
    const file = resolve(flags.writeKubeconfig);
    writeKubeconfig(file, keepingCurrent(file, text));
    say(`user ${name} is in ${file}\n`);
    if (flags.role === undefined) {
      say(`  They may do nothing yet: kubectl create clusterrolebinding ${name} --clusterrole=view --user=${name}\n`);
    }
  });
}

export const userList = (flags: ClusterFlags): Promise<void> =>
  withClient(flags, async (client) => void process.stdout.write(await grantsTable(client)));

export const userRemove = (name: string, flags: ClusterFlags): Promise<void> =>
  withClient(flags, async (client) => {
    const removed = await unbindUser(client, name);
    for (const line of removed) say(`${line}\n`);
    if (removed.length === 0)
      throw new CliError(`no role is bound to user ${name}`, 'everynode user list shows who has one');
    say(
      '  A certificate cannot be called back: until it expires it names them, and what their groups may do they may.\n',
    );
  });

async function withClient(
  flags: ClusterFlags,
  work: (client: HttpClient, config: RestConfig) => Promise<void>,
): Promise<void> {
  const path = flags.kubeconfig ?? (process.env['KUBECONFIG'] ? undefined : lastKubeconfig());
  const config = await loadKubeconfig({
    clock: realClock,
    ...(path === undefined ? {} : { path }),
    ...(flags.context === undefined ? {} : { context: flags.context }),
  });
  const client = createHttpClient(config, { clock: realClock, random: realRandom });
  try {
    await work(client, config);
  } catch (error) {
    if (error instanceof StatusError) {
      const isAway = error.message.includes('ECONNREFUSED');
      throw new CliError(error.message, isAway ? 'Is the cluster running? everynode up starts one' : undefined);
    }
    throw error;
  } finally {
    await client.close();
  }
}

/** The current context of an existing kubeconfig stays; the new context is added beside it. */
function keepingCurrent(file: string, ours: string): string {
  if (!existsSync(file)) return ours;
  let current: unknown;
  try {
    current = (parse(readFileSync(file, 'utf8')) as { 'current-context'?: unknown } | null)?.['current-context'];
  } catch {
    // `writeKubeconfig` will report that the file is no kubeconfig.
    return ours;
  }
  if (typeof current !== 'string' || current === '') return ours;
  return stringify({ ...(parse(ours) as object), 'current-context': current });
}
