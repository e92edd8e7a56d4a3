/**
 * The runs, their number and their order. Contestants take turns within a round, and another begins each time: a change
 * in the machine's load affects neighbouring runs of all of them alike.
 */
import { parseArgs } from 'node:util';

export const CONTESTANTS = [
  'kubernetes-default',
  'kubernetes-raised',
  'everynode-embedded',
  'everynode-operator',
] as const;
export type Contestant = (typeof CONTESTANTS)[number];

export interface Options {
  /** Sizes of the clusters on which a DaemonSet is rolled out. */
  readonly nodes: readonly number[];
  /** Size of the cluster on which the DaemonSet is updated besides; none when absent. */
  readonly updateNodes: number | undefined;
  readonly rounds: number;
  /** Rounds of the control plane with default limits, which waits for its own limits and varies little. */
  readonly defaultRounds: number;
  readonly contestants: readonly Contestant[];
  readonly timeoutMs: number;
  /**
   * Rolls out another DaemonSet first, so that code is compiled and connections are open as in a control plane that has
   * run for a while.
   */
  readonly warmUp: boolean;
  /** Print the requests of each contestant, too. */
  readonly requests: boolean;
  /** Further flags of Node.js for the operator, such as `--cpu-prof`: for studies of our own process. */
  readonly operatorFlags: readonly string[];
}

export interface Run {
  readonly round: number;
  readonly contestant: Contestant;
  readonly nodes: number;
  /** The cases that the run gives samples for. */
  readonly rollout: string | undefined;
  readonly update: string | undefined;
}

const rolloutCase = (nodes: number): string => `rollout-${nodes}`;
const updateCase = (nodes: number): string => `update-${nodes}`;

const DEFAULTS = { nodes: '500,1000,2000', rounds: '5', 'default-rounds': '3', timeout: '400' } as const;
const UPDATE_NODES = 1000;

const USAGE = `versus-kubernetes [CASE…] [--nodes ${DEFAULTS.nodes}] [--update-nodes ${UPDATE_NODES}] [--rounds ${DEFAULTS.rounds}] [--default-rounds ${DEFAULTS['default-rounds']}] [--contestants NAME,…] [--timeout SECONDS] [--warm-up] [--requests]`;

/** Flags may also stand in the environment: `VERSUS_NODES=500`. */
export function readOptions(
  args: readonly string[],
  env: { readonly [name: string]: string | undefined },
): { readonly cases: readonly string[]; readonly options: Options } {
  const { values, positionals } = parse(args);
  const said = (flag: keyof typeof values): string | undefined =>
    (values[flag] as string | undefined) ?? env[`VERSUS_${flag.toUpperCase().replaceAll('-', '_')}`];
  const nodes = listOf(said('nodes') ?? DEFAULTS.nodes).map((text) => count('--nodes', text));
  if (nodes.length === 0) throw new Error('--nodes names no size');
  const rounds = count('--rounds', said('rounds') ?? DEFAULTS.rounds);
  const fewer = said('default-rounds');
  const updateNodes = said('update-nodes');
  const named = listOf(said('contestants') ?? CONTESTANTS.join());
  const unknown = named.filter((name) => !(CONTESTANTS as readonly string[]).includes(name));
  if (unknown.length > 0) throw new Error(`no contestant ${unknown.join(', ')}; there are ${CONTESTANTS.join(', ')}`);
  const options: Options = {
    nodes,
    updateNodes:
      updateNodes === undefined
        ? nodes.includes(UPDATE_NODES)
          ? UPDATE_NODES
          : nodes[0]
        : count('--update-nodes', updateNodes),
    rounds,
    defaultRounds: Math.min(rounds, count('--default-rounds', fewer ?? DEFAULTS['default-rounds'])),
    contestants: CONTESTANTS.filter((name) => named.includes(name)),
    timeoutMs: count('--timeout', said('timeout') ?? DEFAULTS.timeout) * 1000,
    warmUp: values['warm-up'] === true || env['VERSUS_WARM_UP'] === '1',
    requests: values.requests === true || env['VERSUS_REQUESTS'] === '1',
    operatorFlags: listOf(said('operator-flags') ?? ''),
  };
  const known = casesOf(options);
  const strange = positionals.filter((name) => !known.includes(name));
  if (strange.length > 0) throw new Error(`no case ${strange.join(', ')}; cases: ${known.join(', ')}`);
  return { cases: positionals.length === 0 ? known : known.filter((name) => positionals.includes(name)), options };
}

function parse(args: readonly string[]) {
  const string = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        nodes: string,
        'update-nodes': string,
        rounds: string,
        'default-rounds': string,
        contestants: string,
        timeout: string,
        'operator-flags': string,
        'warm-up': { type: 'boolean' },
        requests: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new Error(`${(error as Error).message}\nusage: ${USAGE}`, { cause: error });
  }
}

const listOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function count(flag: string, text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new Error(`${flag}: expected whole numbers from 1 on, not ${JSON.stringify(text)}`);
  return Number(text);
}

const casesOf = ({ nodes, updateNodes }: Pick<Options, 'nodes' | 'updateNodes'>): readonly string[] => [
  ...nodes.map(rolloutCase),
  ...(updateNodes === undefined ? [] : [updateCase(updateNodes)]),
];

/** Every run in order. An update begins where the rollout of its size ends, in the same run. */
export function planRuns(cases: readonly string[], options: Options): readonly Run[] {
  const wanted = (name: string): string | undefined => (cases.includes(name) ? name : undefined);
  const { updateNodes, contestants } = options;
  const sizes = [...new Set([...options.nodes, ...(updateNodes === undefined ? [] : [updateNodes])])]
    .map((nodes) => ({
      nodes,
      rollout: options.nodes.includes(nodes) ? wanted(rolloutCase(nodes)) : undefined,
      update: nodes === updateNodes ? wanted(updateCase(nodes)) : undefined,
    }))
    .filter(({ rollout, update }) => rollout !== undefined || update !== undefined);
  const runs: Run[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    for (const [i, size] of sizes.entries()) {
      const first = (round + i) % contestants.length;
      for (const contestant of [...contestants.slice(first), ...contestants.slice(0, first)]) {
        if (contestant === 'kubernetes-default' && round >= options.defaultRounds) continue;
        runs.push({ round, contestant, ...size });
      }
    }
  }
  return runs;
}
