/**
 * Bench `orders`: an Order in daemonSet mode from its creation until every node's room is reserved, through the whole control plane
 * in one process; what it costs at rest, when a node flaps, and when all Tickets are renewed at once. Each sample is a process of
 * its own.
 */
import { inChild } from './support/child.ts';
import { isSelected, median, note, reportCase, type Unit } from './support/report.ts';
import { SERVER_FLAG } from './support/server.ts';

const RUNS = 3;

interface Reserved {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly memoryMiB: number;
  /** Most writes of one Ticket's status from its creation until Reserved. */
  readonly statusWrites: number;
}

const child = (name: string): URL => new URL(`orders/${name}.ts`, import.meta.url);

async function reserve(nodes: number): Promise<readonly Reserved[]> {
  const all: Reserved[] = [];
  for (let run = 0; run < RUNS; run += 1)
    all.push(...(await inChild<Reserved>(child('reserve-child'), [SERVER_FLAG], [String(nodes)])));
  return all;
}

const report = (name: string, unit: Unit, samples: readonly number[]): void =>
  reportCase({ bench: 'orders', case: name, unit, better: 'lower', samples });

function reportReserved(name: string, all: readonly Reserved[]): void {
  report(
    name,
    's',
    all.map(({ seconds }) => seconds),
  );
  report(
    `${name}-status-writes`,
    'ratio',
    all.map(({ statusWrites }) => statusWrites),
  );
  note(`${name}: ${median(all.map(({ cpuSeconds }) => cpuSeconds)).toFixed(2)} s of CPU`);
}

/** The samples of `n5000`, measured once for all cases that need them. */
let small: Promise<readonly Reserved[]> | undefined;
const smallSamples = (): Promise<readonly Reserved[]> => (small ??= reserve(5000));

const CASES: { readonly [name: string]: () => Promise<void> } = {
  n5000: async () => reportReserved('n5000', await smallSamples()),
  async n50000() {
    const all = await reserve(50_000);
    reportReserved('n50000', all);
    report(
      'n50000-memory',
      'MiB',
      all.map(({ memoryMiB }) => memoryMiB),
    );
    const perTicket = (samples: readonly Reserved[], nodes: number): number =>
      median(samples.map(({ cpuSeconds }) => cpuSeconds / nodes));
    // CPU, because wall time on a busy machine says more about its neighbours.
    report('n50000-cost-per-ticket', 'ratio', [perTicket(all, 50_000) / perTicket(await smallSamples(), 5000)]);
  },
  'idle-5000x20': async () =>
    report('idle-5000x20', 'ratio', await inChild<number>(child('idle-child'), [SERVER_FLAG], ['5000', '20'])),
  flap: async () => report('flap', 'ms', await inChild<number>(child('flap-child'), [SERVER_FLAG], ['5000'])),
  claims: async () =>
    reportCase({
      bench: 'orders',
      case: 'claims',
      unit: '/s',
      better: 'higher',
      samples: await inChild<number>(child('claims-child'), [SERVER_FLAG], ['2000']),
    }),
  async 'renew-50000'() {
    report('renew-50000-lost', 'ratio', await inChild<number>(child('renew-child'), [SERVER_FLAG], ['50000', '100']));
  },
};

export default async function orders(selected: readonly string[]): Promise<void> {
  const unknown = selected.filter((name) => !Object.hasOwn(CASES, name));
  if (unknown.length > 0) throw new Error(`no case ${unknown.join(', ')}; cases: ${Object.keys(CASES).join(', ')}`);
  for (const [name, run] of Object.entries(CASES)) {
    if (!isSelected(selected, name)) continue;
    note(`# ${name}`);
    await run();
  }
}
