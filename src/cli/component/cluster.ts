/** The way to a cluster and back: credentials, Ctrl-C, and errors in words for a person. */
import { existsSync } from 'node:fs';
import type { ApplyContext } from '../../control/component/apply/rendered.ts';
import { ComponentApplyError, type ComponentApplyErrorCode } from '../../control/component/apply/errors.ts';
import { NAMESPACES } from '../../core/api/registry/resources.ts';
import { parseGoDuration } from '../../core/kube/go-duration.ts';
import { StatusError } from '../../core/kube/status-error.ts';
import { linkAbort } from '../../machinery/time/abort.ts';
import { createHttpClient } from '../../machinery/client/http/http-client.ts';
import { loadKubeconfig } from '../../machinery/client/http/kubeconfig.ts';
import type { RestConfig } from '../../machinery/client/http/rest-config.ts';
import { realClock } from '../../machinery/time/real-clock.ts';
import { realRandom } from '../../machinery/random/real-random.ts';
import { CliError, textWithCode } from '../support/cli-error.ts';
import { lastKubeconfig } from '../support/home.ts';
import { onStopSignals } from '../support/stop-signals.ts';
import type { ClusterFlags } from './flags.ts';
import { createProgressView, type ProgressView } from './progress-view.ts';
import { printable } from './text.ts';

export interface Session {
  readonly context: ApplyContext;
  readonly view: ProgressView;
  /** Namespace of components that name none. */
  readonly namespace: string;
}

export interface SessionOptions {
  /** Printed when the command is interrupted: how to continue. */
  readonly whenInterrupted?: string;
  /** A line for each object goes to stdout. */
  readonly tellSteps?: boolean;
}

const INTERRUPTED = 130;
const TERMINATED = 143;
const TIMED_OUT = 124;
/** Another apply or deletion of the same component came in between. */
const SUPERSEDED = 3;

export async function onCluster(
  flags: ClusterFlags,
  options: SessionOptions,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const config = await connection(flags);
  const view = createProgressView({ clock: realClock, tellSteps: options.tellSteps === true });
  const say = (text: string): void => {
    // A block that is redrawn would overwrite the note.
    view.finish();
    process.stderr.write(text);
  };
  const stop = onStopSignals({ clock: realClock, source: process, say, exit: (code) => process.exit(code) });
  const client = createHttpClient(config, { clock: realClock, random: realRandom });
  // Requests under way are aborted before the client closes, or they would retry for as long as they may.
  using link = linkAbort(stop.signal);
  const { signal } = link;
  try {
    await client.get(NAMESPACES, { name: 'default' }, { signal }).catch(failIfAway);
    const context = { client, clock: realClock, random: realRandom, signal, onProgress: view.onProgress };
    await work({ context, view, namespace: config.namespace ?? 'default' });
  } catch (error) {
    if (!stop.signal.aborted) throw explained(error);
    const code = stop.exitCode() === INTERRUPTED ? INTERRUPTED : TERMINATED;
    throw new CliError('interrupted', options.whenInterrupted, code);
  } finally {
    view.finish();
    link.abort();
    await client.close();
    stop.release();
  }
}

async function connection({ kubeconfig, context }: ClusterFlags): Promise<RestConfig> {
  if (kubeconfig === '') throw new CliError('--kubeconfig is empty', 'Give it a file');
  const last = lastKubeconfig();
  const isChosen = (process.env['KUBECONFIG'] ?? '') !== '';
  const path = kubeconfig ?? (isChosen || !existsSync(last) ? undefined : last);
  try {
    return await loadKubeconfig({
      clock: realClock,
      ...(path === undefined ? {} : { path }),
      ...(context === undefined ? {} : { context }),
    });
  } catch (error) {
    throw new CliError(textWithCode(error), 'Name one with --kubeconfig FILE, or start a cluster: everynode up');
  }
}

/** Passing troubles are waited out later on; a server that never answered is an error. */
function failIfAway(error: unknown): void {
  if (error instanceof StatusError && !/ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH/.test(error.message)) return;
  throw error;
}

function explained(error: unknown): unknown {
  if (error instanceof ComponentApplyError) return applyError(error);
  if (!(error instanceof StatusError)) return error;
  const isAway = error.message.includes('ECONNREFUSED');
  return new CliError(printable(error.message), isAway ? 'Is the cluster running? everynode up starts one' : undefined);
}

/** Flags that lift the problem, where the user may want that. */
const FLAGS: { readonly [code in ComponentApplyErrorCode]?: string } = {
  EN_COMPONENT_APPLY_CONFLICT: '--force-conflicts',
  EN_COMPONENT_APPLY_IMMUTABLE: '--recreate',
};

const EXIT_CODES: { readonly [code in ComponentApplyErrorCode]?: number } = {
  EN_COMPONENT_APPLY_TIMEOUT: TIMED_OUT,
  EN_COMPONENT_APPLY_SUPERSEDED: SUPERSEDED,
};

/** Every problem on a line of its own, with what would help below it. */
function applyError({ code, problems }: ComponentApplyError): CliError {
  const texts = problems.map((problem) => {
    const fix = problem.fix === undefined ? '' : `\n    ${printable(problem.fix)}`;
    const flag = problem.adopt === undefined ? FLAGS[problem.code] : `--adopt ${problem.adopt}`;
    return `${printable(problem.message)}${fix}${flag === undefined ? '' : ` (${flag})`} [${problem.code}]`;
  });
  const [only = code] = texts;
  const text = texts.length === 1 ? only : `${texts.length} problems:\n${texts.map((each) => `  ${each}`).join('\n')}`;
  return new CliError(text, undefined, EXIT_CODES[code] ?? 1);
}

/** Undefined means no timeout. */
export function readTimeout(text: string): number | undefined {
  const ms = parseGoDuration(text);
  if (ms === undefined || ms < 0)
    throw new CliError(`invalid argument ${JSON.stringify(text)} for --timeout: expected a time such as 5m or 90s`);
  return ms === 0 ? undefined : ms;
}

export const timedOut = (message: string, fix?: string): CliError => new CliError(message, fix, TIMED_OUT);

export const superseded = (message: string, fix?: string): CliError => new CliError(message, fix, SUPERSEDED);

export function readDryRun(text: string): 'none' | 'client' | 'server' {
  if (text === 'none' || text === 'client' || text === 'server') return text;
  throw new CliError(`invalid argument ${JSON.stringify(text)} for --dry-run: expected none, client or server`);
}
