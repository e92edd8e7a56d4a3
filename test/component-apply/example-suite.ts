/** From the manifests people write to a cluster, whatever cluster: each example is applied, found unchanged, changed and taken away. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { applyComponent } from '../../src/control/component/apply/apply.ts';
import { deleteComponent } from '../../src/control/component/apply/delete.ts';
import { diffComponent } from '../../src/control/component/apply/diff/diff-component.ts';
import { componentToApply } from '../../src/control/component/apply/from-rendered.ts';
import { missingObjects } from '../../src/control/component/apply/missing.ts';
import type { RenderedComponent } from '../../src/control/component/apply/rendered.ts';
import { waitForRollout } from '../../src/control/component/apply/wait.ts';
import { loadManifests, prepareComponents } from '../../src/core/component/load/load.ts';
import { NODES, SECRETS } from '../../src/core/api/registry/resources.ts';
import type { DaemonSet } from '../../src/core/api/types/apps-v1.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { counting } from './faulty-client.ts';
import { contextOf, outcomes } from './setting.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'examples', 'components');

async function read(file: string, secret: string): Promise<readonly RenderedComponent[]> {
  const text = readFileSync(join(FOLDER, file), 'utf8');
  const secrets = { env: () => secret, file: () => JSON.stringify({ auths: {} }) };
  const { components, problems } = await prepareComponents(loadManifests([{ file, text }]), { secrets });
  expect(problems).toEqual([]);
  return components.map(({ rendered }) => componentToApply(rendered));
}

/** Secrets that the example names and leaves to its user: without them its pods wait. */
async function bringNamedSecrets(client: Client, component: RenderedComponent): Promise<void> {
  const missing = await missingObjects({ client }, component);
  for (const { kind, keys, name, namespace } of missing) {
    expect(kind).toBe('Secret');
    const stringData = Object.fromEntries(keys.map((key) => [key, 'from-the-user']));
    await client.create(SECRETS, { apiVersion: 'v1', kind, metadata: { name, namespace }, stringData });
  }
}

/** The cluster has two nodes. */
export function describeExamples(what: string, clientOf: () => Client): void {
  describe(`an example ${what}`, () => {
    it.each(readdirSync(FOLDER).filter((file) => file.endsWith('.yaml')))(
      '%s is made, is found as it was left, and goes',
      async (file) => {
        const client = clientOf();
        for (const component of await read(file, 'the-first-value')) {
          const { namespace } = component.identity;
          const daemonSet = component.objects.at(-1) as DaemonSet;
          // Nodes that it wants: on none, every rollout is complete.
          const labels = daemonSet.spec.template.spec?.nodeSelector ?? {};
          for (const { metadata } of (await client.list(NODES, {})).items)
            await client.patch(NODES, { name: metadata.name }, { type: 'merge', body: { metadata: { labels } } });
          await applyComponent(contextOf(client), component);
          await bringNamedSecrets(client, component);
          const { name } = daemonSet.metadata;
          // A controller that has not heard of every node yet counts too few, and calls that complete.
          await vi.waitFor(
            async () =>
              expect(await waitForRollout(contextOf(client), { namespace, name, timeoutMs: 60_000 })).toMatchObject({
                outcome: 'complete',
                snapshot: { desired: 2, updated: 2, available: 2 },
              }),
            { timeout: 60_000 },
          );
          const writes = counting(client);
          await applyComponent(contextOf(writes.client), component);
          expect(writes.seen).toEqual([]);
        }
        const before = JSON.stringify(await read(file, 'the-first-value'));
        const after = await read(file, 'the-second-value');
        for (const component of after) {
          const diff = await diffComponent(contextOf(client), component);
          if (after.length === 1) expect(diff.changed).toBe(JSON.stringify(after) !== before);
          expect(JSON.stringify(diff)).not.toMatch(/the-(?:first|second)-value/);
          const { steps } = await deleteComponent(contextOf(client), component.identity);
          expect(outcomes(steps).filter((line) => !line.startsWith('deleted') && !line.includes('Namespace'))).toEqual(
            [],
          );
        }
      },
      90_000,
    );
  });
}
