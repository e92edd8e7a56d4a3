/** The page, the examples and the alerts say what the code does. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { createReservationController } from '../../src/control/reservation/reservation-controller.ts';
import { ORDER_RULES } from '../../src/core/api/kinds/reservation/order.ts';
import { ORDER_CONDITIONS, RESERVATION_EVENTS, TICKET_PHASES, UNRESERVED_TAINT } from '../../src/core/api/names.ts';
import type { Order } from '../../src/core/api/types/korder-v1alpha1.ts';
import { REFRESH_TABLE } from '../../src/core/daemons/refresh-table.ts';
import { createInformers } from '../../src/machinery/cache/informers.ts';
import type { Metrics } from '../../src/machinery/metrics/metrics.ts';
import { createSeededRandom } from '../../src/machinery/random/seeded-random.ts';
import { createFakeClient } from '../../src/machinery/testing/fake-client.ts';
import { createVirtualClock } from '../../src/machinery/time/virtual-clock.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
const PAGE = read('docs/reservations.md');
const EXAMPLES = globSync('examples/reservations/*.yaml', { cwd: fileURLToPath(ROOT) }).toSorted();

const orders: readonly (readonly [file: string, order: Order])[] = EXAMPLES.flatMap((file) =>
  parseAllDocuments(read(file))
    .map((each) => each.toJS() as Order)
    .filter(({ kind }) => kind === 'Order')
    .map((order) => [file, order] as const),
);

const part = (from: string, to: string): string => PAGE.slice(PAGE.indexOf(from), PAGE.indexOf(to));

describe('the page about reservations', () => {
  it('has the table that the Order controller acts by', () => {
    const rows = part('<!-- The table of', '<!-- End of the table')
      .split('\n')
      .filter((line) => /^\| (OneTime|Scheduled|Recurring) /.test(line))
      .map((line) =>
        line
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      );
    const wanted = Object.entries(REFRESH_TABLE).flatMap(([strategy, byPolicy]) =>
      Object.entries(byPolicy).map(([refresh, { vacant, claimed, expired, templateChanged, tick }]) => {
        const ticks = [tick.vacant, tick.claimed, tick.expired, tick.held];
        const cells = strategy === 'OneTime' ? ticks.map(() => '–') : ticks;
        return [strategy, refresh, vacant, claimed, expired, templateChanged, ...cells];
      }),
    );
    expect(rows).toEqual(wanted);
    expect(Object.values(REFRESH_TABLE.OneTime).flatMap(({ tick }) => Object.values(tick))).not.toContain('create');
  });

  it('has a section for every best practice and every entry of the troubleshooting', () => {
    const practices = part('## Best practices', '## Troubleshooting');
    expect(practices.match(/^### .*$/gm)).toEqual([
      '### 1. Resource sizing',
      '### 2. Node selection',
      '### 3. Toleration strategy',
      '### 4. Refresh policies',
      '### 5. Monitoring',
    ]);
    const troubles = part('## Troubleshooting', '## Limits');
    for (const title of ['No Tickets created', 'Tickets are not distributed evenly', 'Performance impact'])
      expect(troubles).toContain(`### ${title}\n`);
  });

  it('shows every Order and node that its first minutes use', () => {
    const start = part('## Five minutes', '## The manifest');
    const shown = [...start.matchAll(/<<'END'\n(.*?)\nEND\n/gs)].map(([, text = '']) => parse(text) as Order);
    const used = [...start.matchAll(/^\$ everynode (?:orders|tickets) ([a-z-]+)$/gm)].map(([, name]) => name);
    const known = [...shown, ...orders.map(([, order]) => order)];
    expect(used.length).toBeGreaterThan(0);
    expect(known.filter(({ kind }) => kind === 'Order').map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(used),
    );
    expect(start).not.toMatch(/everynode (?:orders|tickets) .*-n (?!default)/);
    const nodes = shown.filter(({ kind }) => kind === 'Node').map(({ metadata }) => metadata.name);
    const late = [...start.matchAll(/involvedObject\.name=([a-z]+)/g)].map(([, name]) => name);
    expect(nodes).toEqual(late);
    const created = { namespace: 'default', creationTimestamp: '2026-03-01T00:00:00Z' };
    for (const order of shown.filter(({ kind }) => kind === 'Order'))
      expect(ORDER_RULES.create({ ...order, metadata: { ...order.metadata, ...created } })).toEqual([]);
  });

  it('names every condition, phase and event, and the taint', () => {
    const names = [...Object.values(ORDER_CONDITIONS), ...Object.values(TICKET_PHASES), UNRESERVED_TAINT];
    const later: readonly string[] = [RESERVATION_EVENTS.ticketClaimed, RESERVATION_EVENTS.ticketReleased];
    const events = Object.values(RESERVATION_EVENTS).filter((event) => !later.includes(event));
    for (const name of [...names, ...events]) expect(PAGE, name).toContain(name);
  });
});

describe('the examples of reservations', () => {
  it('are one for each use case, and the two of the document that Orders come from', () => {
    const cases = new Set(orders.map(([, { metadata }]) => metadata.labels?.['use-case'] ?? metadata.name));
    expect([...cases].toSorted()).toEqual([
      'gpu-node-buffer',
      'infrastructure-reservation',
      'log-collection',
      'monitoring',
      'network',
      'resource-buffer',
      'security',
      'storage',
    ]);
  });

  it.each(orders)('%s is valid, without a warning', (_file, order) => {
    const created = {
      ...order,
      metadata: { ...order.metadata, namespace: 'default', creationTimestamp: '2026-03-01T00:00:00Z' },
    };
    expect(ORDER_RULES.create(created)).toEqual([]);
    expect(ORDER_RULES.warnings(created)).toEqual([]);
  });
});

describe('the alerts', () => {
  interface Rule {
    readonly alert: string;
    readonly expr: string;
    readonly for: string;
    readonly labels: { readonly severity: string };
    readonly annotations: { readonly summary: string };
  }
  const { groups } = parse(read('examples/reservations/alerts.yaml')) as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);

  it('have a name, a time, a severity and a sentence, and are on the page', () => {
    for (const { alert, expr, for: time, labels, annotations } of rules) {
      expect([alert, expr, time, labels.severity, annotations.summary].every((text) => text.length > 0)).toBe(true);
      expect(PAGE).toContain(`\`${alert}\``);
    }
  });

  it('ask for metrics and labels that are emitted', async () => {
    const known = await emitted();
    // Of the operator itself.
    known.set('everynode_controller_running', ['controller']);
    for (const { alert, expr } of rules) {
      const asked = [...expr.matchAll(/\b((?:korder|everynode)_[a-z_]+?)(?:_bucket)?\b(?:\{([^}]*)\})?/g)];
      expect(asked.length, alert).toBeGreaterThan(0);
      for (const [, name = '', matchers = ''] of asked) {
        expect([...known.keys()], alert).toContain(name);
        for (const [, label] of matchers.matchAll(/(\w+)[=!]/g))
          expect(known.get(name), `${alert} ${name}`).toContain(label);
      }
    }
  });

  it('are about metrics that the page explains, all of them', async () => {
    for (const name of (await emitted()).keys())
      if (name.startsWith('korder_')) expect(PAGE, name).toContain(`\`${name}`);
  });
});

/** Names and labels of all metrics of the controllers. */
async function emitted(): Promise<Map<string, readonly string[]>> {
  const known = new Map<string, readonly string[]>();
  const note = ({ name, labels }: { readonly name: string; readonly labels: readonly string[] }): void =>
    void known.set(name, labels);
  const nothing = (): void => undefined;
  const metrics: Metrics = {
    counter: (each) => (note(each), { with: () => ({ inc: nothing }) }),
    gauge: (each) => (note(each), { with: () => ({ set: nothing }) }),
    histogram: (each) => (note(each), { with: () => ({ observe: nothing }) }),
    onCollect: () => nothing,
  };
  const clock = createVirtualClock();
  const random = createSeededRandom('metrics');
  const client = createFakeClient({ clock, random });
  const informers = createInformers(client, { clock, random });
  const stop = new AbortController();
  const actor = createReservationController({ client, clock, random, informers, metrics });
  const running = Promise.allSettled([informers.start(stop.signal), actor.start(stop.signal)]);
  stop.abort();
  await running;
  return known;
}
