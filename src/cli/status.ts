/** `everynode status`: the state of components, their missing objects, and why nodes lag. */
import { refText } from '../control/component/apply/object-ref.ts';
import { type ApplyContext, identityText, type ComponentIdentity } from '../control/component/apply/rendered.ts';
import { componentStatus, listComponents, type ComponentStatus } from '../control/component/apply/status.ts';
import { type ComponentOutputs, liveOutputs } from '../core/component/render/outputs.ts';
import { verdictOf, VERDICTS, type Verdict } from '../control/component/apply/verdict.ts';
import { printYaml } from '../core/component/print/print-yaml.ts';
import { DAEMON_SETS } from '../core/api/registry/resources.ts';
import { isStatus } from '../core/kube/status-error.ts';
import { CliError } from './support/cli-error.ts';
import { onCluster } from './component/cluster.ts';
import type { StatusFlags } from './component/flags.ts';
import { nowhereText, reasonLines } from './component/rollout-text.ts';
import { identitiesOf, noComponentError, readTargets } from './component/targets.ts';
import { printable, table } from './component/text.ts';

interface Seen {
  readonly identity: ComponentIdentity;
  readonly status: ComponentStatus;
  /** Outputs of the component, for other programs; only with `-o json` or `-o yaml`, and where there are any. */
  readonly outputs?: ComponentOutputs;
}

export async function status(names: readonly string[], flags: StatusFlags): Promise<void> {
  const targets = await readTargets(names, flags);
  await onCluster(flags, {}, async ({ context, namespace: usual }) => {
    const namespace = flags.namespace ?? usual;
    const identities =
      targets === undefined
        ? (await listComponents(context, flags.allNamespaces === true ? undefined : namespace)).map((i) => i.identity)
        : identitiesOf(targets, namespace);
    const seen: Seen[] = [];
    for (const identity of identities) {
      const outputs = isForMachines(flags.output) ? await outputsOf(context, identity) : {};
      seen.push({ identity, status: await componentStatus(context, identity), ...outputs });
    }
    show(seen, flags.output);
    const exitCode = flags.exitCode === true ? exitCodeOf(seen) : 0;
    const absent = seen.filter((each) => each.status.phase === 'absent').map(({ identity }) => identity);
    if (absent.length > 0) {
      const { message, fix } = await noComponentError(context, absent);
      throw new CliError(message, fix, exitCode === 0 ? 1 : exitCode);
    }
    if (seen.length === 0) {
      const where = flags.allNamespaces === true ? 'the cluster' : `namespace ${namespace}`;
      process.stderr.write(`There is no component in ${where}.\n`);
    }
    if (exitCode !== 0) process.exitCode = exitCode;
  });
}

const EXIT_CODES: Readonly<Record<Verdict, number>> = { 'rolled-out': 0, progressing: 4, failed: 5, absent: 6 };

/** The exit code of the gravest verdict; that of `absent` where there is no component. */
function exitCodeOf(seen: readonly Seen[]): number {
  const gravest = Math.max(-1, ...seen.map(({ status: each }) => VERDICTS.indexOf(verdictOf(each))));
  return EXIT_CODES[VERDICTS[gravest] ?? 'absent'];
}

const isForMachines = (output: StatusFlags['output']): output is 'json' | 'yaml' =>
  output === 'json' || output === 'yaml';

async function outputsOf({ client, signal }: ApplyContext, { namespace, name }: ComponentIdentity) {
  try {
    const options = signal === undefined ? {} : { signal };
    return { outputs: liveOutputs(await client.get(DAEMON_SETS, { namespace, name }, options)) };
  } catch (error) {
    if (isStatus(error, 'NotFound')) return {};
    throw error;
  }
}

function show(seen: readonly Seen[], output: StatusFlags['output']): void {
  const present = seen.filter((each) => each.status.phase !== 'absent');
  if (isForMachines(output)) {
    const value = {
      components: present.map(({ identity, status: { inventory: _inventory, ...rest }, outputs }) => ({
        ...identity,
        ...rest,
        ...(outputs === undefined ? {} : { outputs }),
      })),
    };
    process.stdout.write(output === 'json' ? `${JSON.stringify(value, null, 2)}\n` : printYaml(value));
    return;
  }
  if (output === 'name') {
    for (const { identity } of present) process.stdout.write(`${identityText(identity)}\n`);
    return;
  }
  if (present.length === 0) return;
  process.stdout.write(table([HEADINGS, ...present.map(rowOf)]));
  for (const each of present) for (const line of detailsOf(each, output === 'wide')) process.stdout.write(`${line}\n`);
}

const HEADINGS = ['NAMESPACE', 'NAME', 'STATUS', 'DESIRED', 'UPDATED', 'READY', 'AVAILABLE', 'APPLIED'];

function rowOf({ identity, status: { rollouts, inventory, ...rest } }: Seen): readonly string[] {
  const [rollout] = rollouts;
  const counts = [rollout?.desired, rollout?.updated, rollout?.ready, rollout?.available];
  const state = stateText({ rollouts, inventory, ...rest });
  const numbers = counts.map((number) => (number === undefined ? '-' : String(number)));
  return [identity.namespace, identity.name, state, ...numbers, inventory?.appliedAt ?? '-'];
}

function stateText({ phase, isHealthy, inventory, objects, rollouts }: ComponentStatus): string {
  if (phase !== 'settled') return phase;
  if (inventory?.undone !== undefined) return `undone-to-${inventory.undone.revision}`;
  if (isHealthy && objects.some(({ changes }) => changes !== undefined)) return 'changed';
  if (isHealthy) return rollouts.some(({ nowhere }) => nowhere !== undefined) ? 'no-nodes' : 'healthy';
  if (objects.some(({ state }) => state !== 'present')) return 'incomplete';
  return rollouts.find(({ state }) => state !== 'complete')?.state ?? 'unknown';
}

function detailsOf({ identity, status: { objects, rollouts } }: Seen, isWide: boolean): readonly string[] {
  const who = identityText(identity);
  const lines = objects
    .filter(({ state }) => isWide || state !== 'present')
    .map(({ object, state }) => `${who}: ${refText(object)} is ${STATES[state]}`);
  for (const { object, changes = [] } of objects)
    for (const { manager, fields } of changes) {
      const more = fields.length > MOST_FIELDS ? ` and ${fields.length - MOST_FIELDS} more` : '';
      const what = `${fields.slice(0, MOST_FIELDS).join(', ')}${more}`;
      lines.push(`${who}: ${refText(object)} was changed by ${printable(`${manager}: ${what}`)}`);
    }
  for (const rollout of rollouts) {
    if (rollout.nowhere !== undefined) lines.push(`warning: ${nowhereText(rollout, rollout.nowhere)}`);
    if (isWide)
      for (const { group, updated, desired, available } of rollout.groups)
        lines.push(`${who}: group ${printable(group)}: ${updated} of ${desired} updated, ${available} available`);
    const lags = isWide
      ? rollout.lagging.map(({ node, message }) => `${node}: ${printable(message)}`)
      : reasonLines(rollout);
    lines.push(...lags.map((lag) => `${who}: ${lag}`));
  }
  return lines;
}

const MOST_FIELDS = 5;

const STATES = {
  present: 'there',
  missing: 'missing',
  ending: 'being deleted',
  'not-ours': "no longer the component's",
} as const;
