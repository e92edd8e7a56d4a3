/** Spoilt manifests and patches of every built-in kind against the handlers themselves, thousands a second. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTestServer } from '../../src/apiserver/testing/test-server.ts';
import type { KindDefinition } from '../../src/core/api/kind/kind-definition.ts';
import { createRegistry } from '../../src/core/api/registry/registry.ts';
import { apiVersionOf } from '../../src/core/kube/objects.ts';
import { StatusError } from '../../src/core/kube/status-error.ts';
import { cases, TIMEOUT } from './support/cases.ts';
import { expectHarmless } from './support/harmless.ts';
import { manifestOf } from './support/manifests.ts';
import { requestOf, stepFor, type Step } from './support/steps.ts';

const suite = cases('handlers.test.ts');
const kinds = createRegistry().all();
const byName = new Map(kinds.map((kind) => [`${apiVersionOf(kind)} ${kind.kind}`, kind]));
const step = fc.constantFrom(...byName.keys()).chain((kind) => fc.tuple(fc.constant(kind), stepFor(kindOf(kind))));

/** Cases hold the name of a kind, which is easier to read than all that is known of it. */
function kindOf(name: string): KindDefinition {
  return byName.get(name) as KindDefinition;
}

describe('handlers under spoilt requests', () => {
  it('never fail but by a Status, and change nothing but what they answered for', { timeout: TIMEOUT }, async () => {
    const accepted = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30, size: 'max' }), async (steps) => {
        const server = await createTestServer();
        for (const [name, each] of steps) {
          suite.count();
          const kind = kindOf(name);
          const request = requestOf(kind, each, manifestOf(kind, each.name));
          if (await expectHarmless(server, kind, request)) accepted.add(each.verb);
        }
      }),
      suite.settings(0.5, 13),
    );
    expect(accepted.size).toBeGreaterThan(4);
  });

  it('hold also when all requests are for a few objects of one kind', { timeout: TIMEOUT }, async () => {
    const steps = fc
      .constantFrom(...byName.keys())
      .chain((kind) =>
        fc.tuple(fc.constant(kind), fc.array(stepFor(kindOf(kind)), { minLength: 1, maxLength: 30, size: 'max' })),
      );
    await fc.assert(
      fc.asyncProperty(steps, async ([name, list]) => {
        const server = await createTestServer();
        const kind = kindOf(name);
        for (const each of list) {
          suite.count();
          await expectHarmless(server, kind, requestOf(kind, each, manifestOf(kind, each.name)));
        }
      }),
      suite.settings(0.52, 13),
    );
  });

  it('accept every manifest before it is spoilt, or say what is missing', async () => {
    const server = await createTestServer();
    const refused: string[] = [];
    const options = { name: 'a', subresource: '', mutations: [], dryRun: true, manager: 'first' };
    const each: Step = { ...options, verb: 'create', validation: 'Ignore' };
    for (const kind of kinds.filter(({ verbs }) => verbs.includes('create'))) {
      await server.server.handle(requestOf(kind, each, manifestOf(kind, 'a'))).catch((error: unknown) => {
        expect(error).toBeInstanceOf(StatusError);
        refused.push(`${kind.kind}: ${(error as StatusError).message}`);
      });
    }
    // Spoiling what is refused anyway teaches little; most must pass.
    expect([refused.length < kinds.length * 0.4, refused]).toEqual([true, expect.any(Array)]);
  });
});
