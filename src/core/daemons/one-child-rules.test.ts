import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node } from '../api/types/core-v1.ts';
import type { Ticket } from '../api/types/korder-v1alpha1.ts';
import type { Stored } from '../kube/objects.ts';
import { compileEligibility, ORDER_POLICY } from './eligibility.ts';
import { SHOULD_CONTINUE, SHOULD_RUN } from './verdict.ts';
import { createEngine } from './engine.ts';
import {
  MISSING,
  oneChildRules,
  type PlainChildAdapter,
  PRESENT,
  SURPLUS,
  surplusOf,
  WANTED,
} from './one-child-rules.ts';
import { anyNodeWish, makeNode } from './testing/samples.ts';

const tickets: PlainChildAdapter<Stored<Ticket>> = {
  uid: (ticket) => ticket.metadata.uid,
  pin: (ticket) => (ticket.spec?.nodeName === undefined ? undefined : { by: 'name', value: ticket.spec.nodeName }),
  isNewer: (a, b) => a.metadata.name > b.metadata.name,
  compare: (a, b) => (a.metadata.name < b.metadata.name ? -1 : 1),
  isNotOlder: (a, b) => Number(a.metadata.resourceVersion) >= Number(b.metadata.resourceVersion),
  isOver: () => false,
  isTerminating: (ticket) => ticket.metadata.deletionTimestamp !== undefined,
  revision: () => '',
};

let version = 0;
const ticket = (name: string, nodeName: string, deleting: boolean): Stored<Ticket> => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Ticket',
  metadata: {
    name,
    uid: name,
    resourceVersion: String((version += 1)),
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...(deleting ? { deletionTimestamp: '2026-01-01T00:00:01Z' } : {}),
  },
  spec: { nodeName },
});

const NAMES = ['n0', 'n1', 'n2'];
const anyStep = fc.oneof(
  fc.record({ do: fc.constant('node' as const), name: fc.constantFrom(...NAMES), wish: anyNodeWish }),
  fc.record({ do: fc.constant('gone' as const), name: fc.constantFrom(...NAMES) }),
  fc.record({
    do: fc.constant('ticket' as const),
    name: fc.constantFrom('t0', 't1', 't2', 't3'),
    node: fc.constantFrom(...NAMES),
    deleting: fc.boolean(),
  }),
);

describe('one child a node', () => {
  it('is asked for, and what is too much is named, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), (steps) => {
        const rules = oneChildRules(tickets);
        const engine = createEngine(rules);
        const eligibility = compileEligibility({}, ORDER_POLICY);
        engine.apply({ type: 'daemon', daemon: { key: 'order', eligibility } });
        const nodes = new Map<string, Node>();
        const children = new Map<string, Stored<Ticket>>();
        for (const step of steps) {
          if (step.do === 'node') {
            nodes.set(step.name, makeNode(step.name, step.wish));
            engine.apply({ type: 'node', node: makeNode(step.name, step.wish) });
          } else if (step.do === 'gone') {
            nodes.delete(step.name);
            engine.apply({ type: 'node-gone', name: step.name });
          } else {
            const old = children.get(step.name);
            const child = ticket(step.name, step.node, step.deleting);
            children.set(step.name, child);
            engine.apply({ type: 'child', daemon: 'order', child, old });
          }
          const view = engine.daemon('order');
          for (const name of NAMES) {
            const node = nodes.get(name);
            const verdict = node === undefined ? 0 : eligibility.judge(node);
            const here = [...children.values()].filter((each) => each.spec?.nodeName === name);
            const staying = here.filter((each) => !tickets.isTerminating(each));
            const place = engine.placeOf(name);
            const bits = place === undefined ? 0 : (view?.judgement(place) ?? 0);
            expect((bits & WANTED) !== 0).toBe((verdict & SHOULD_RUN) !== 0);
            expect((bits & MISSING) !== 0).toBe((verdict & SHOULD_RUN) !== 0 && here.length === 0);
            const allowed = (verdict & SHOULD_CONTINUE) !== 0 ? 1 : 0;
            expect((bits & SURPLUS) !== 0).toBe(staying.length > allowed);
            expect((bits & PRESENT) !== 0).toBe(allowed === 1 && staying.length > 0);
            const gone = surplusOf(tickets, verdict, view?.children(place ?? -1) ?? []);
            expect(gone).toHaveLength(Math.max(0, staying.length - allowed));
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
