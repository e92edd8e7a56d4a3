/**
 * Credential plugins: a program that prints an ExecCredential. Ours rather than the official library's, because that
 * one tells the program nothing about the cluster and mixes up the credentials of two kubeconfigs.
 */
import { spawn } from 'node:child_process';
import { isAbsolute, join } from 'node:path';
import { parseJson } from '../../../core/kube/json.ts';
import { parseTime } from '../../../core/kube/time.ts';
import type { Clock } from '../../time/clock.ts';
import { MachineryError } from '../../errors.ts';
import type { Credentials, CredentialSource } from './rest-config.ts';

export interface ExecPlugin {
  readonly apiVersion?: string;
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  readonly interactiveMode?: string;
}

interface ExecCluster {
  readonly server: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'certificate-authority-data'?: string;
  readonly 'proxy-url'?: string;
}

export interface ExecOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly env: NodeJS.ProcessEnv;
  /** Relative commands with a slash are meant from the kubeconfig's folder. */
  readonly directory: string;
  readonly cluster: ExecCluster;
  readonly interactive: boolean;
}

const DEFAULT_API_VERSION = 'client.authentication.k8s.io/v1';
/** No credential is larger; a program that prints more is not a credential plugin. */
const MAX_OUTPUT = 1 << 20;
/** Renewed a little before it ends, so that a request under way does not fail. */
const EARLY_MS = 10_000;

export function execCredentials(plugin: ExecPlugin, options: ExecOptions): CredentialSource {
  let held: { readonly credentials: Credentials; readonly expires: number } | undefined;
  /** Many requests at once must not start many programs, some of which open browsers. */
  let running: Promise<Credentials> | undefined;

  const obtain = (): Promise<Credentials> => {
    running ??= runPlugin(plugin, options)
      .then((result) => {
        held = result;
        return result.credentials;
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };

  return {
    get: () =>
      held !== undefined && options.clock.now() < held.expires - EARLY_MS
        ? Promise.resolve(held.credentials)
        : obtain(),
    async refresh() {
      await obtain();
      return true;
    },
  };
}

async function runPlugin(
  plugin: ExecPlugin,
  options: ExecOptions,
): Promise<{ readonly credentials: Credentials; readonly expires: number }> {
  const apiVersion = plugin.apiVersion ?? DEFAULT_API_VERSION;
  const interactive = options.interactive && plugin.interactiveMode !== 'Never';
  const info = {
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive, ...(plugin.provideClusterInfo === true ? { cluster: options.cluster } : {}) },
  };
  const env: NodeJS.ProcessEnv = { ...options.env };
  for (const { name, value } of plugin.env ?? []) env[name] = value;
  env['KUBERNETES_EXEC_INFO'] = JSON.stringify(info);

  const output = await runProgram(plugin, options.directory, env, interactive);
  let answer: unknown;
  try {
    answer = parseJson(output);
  } catch (cause) {
    throw failed(plugin, 'did not print an ExecCredential', cause);
  }
  const { kind, apiVersion: answered, status } = (answer ?? {}) as ExecCredential;
  if (kind !== 'ExecCredential' || status === undefined || status === null) {
    throw failed(plugin, 'did not print an ExecCredential with a status');
  }
  if (answered !== apiVersion) throw failed(plugin, `answered as ${answered}, not as ${apiVersion}`);
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status;
  if (!token && !(cert && key)) throw failed(plugin, 'gave neither a token nor a certificate with its key');
  const expires = expirationTimestamp === undefined ? undefined : parseTime(expirationTimestamp);
  return {
    credentials: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(cert && key ? { cert, key } : {}),
    },
    expires: expires ?? Number.POSITIVE_INFINITY,
  };
}

interface ExecCredential {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly status?: {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    readonly expirationTimestamp?: string;
  } | null;
}

/** Standard output of a program that prints credentials. Relative commands with a slash are meant from `directory`. */
export function runProgram(
  plugin: Pick<ExecPlugin, 'command' | 'args' | 'installHint'>,
  directory: string,
  env: NodeJS.ProcessEnv,
  interactive: boolean,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const { command } = plugin;
    const program = command.includes('/') && !isAbsolute(command) ? join(directory, command) : command;
    const child = spawn(program, [...(plugin.args ?? [])], {
      env,
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_OUTPUT) {
        chunks.push(chunk);
        return;
      }
      // The plugin's own children may hold the pipe open; closing our end stops them too.
      child.kill();
      child.stdout?.destroy();
      reject(failed(plugin, 'printed far more than a credential'));
    });
    child.on('error', (cause: NodeJS.ErrnoException) => {
      const hint = cause.code === 'ENOENT' && plugin.installHint ? `\n\n${plugin.installHint}` : '';
      reject(failed(plugin, `could not be run: ${cause.message}${hint}`, cause));
    });
    child.on('close', (code, signal) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
      else reject(failed(plugin, `ended with ${signal ?? `exit code ${code}`}`));
    });
  });
}

const failed = (plugin: Pick<ExecPlugin, 'command'>, why: string, cause?: unknown): MachineryError =>
  new MachineryError('EN_MACHINERY_CREDENTIALS', `the credential plugin ${plugin.command} ${why}`, { cause });
