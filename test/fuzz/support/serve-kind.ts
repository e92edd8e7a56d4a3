/** Serves a custom kind on a server without controllers: its conditions are set as their controller would. */
import type { TestServer } from '../../../src/apiserver/testing/test-server.ts';
import type { KindDefinition } from '../../../src/core/api/kind/kind-definition.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../src/core/api/registry/resources.ts';
import type { CustomResourceDefinition } from '../../../src/core/api/types/apiextensions-v1.ts';
import { StatusError } from '../../../src/core/kube/status-error.ts';

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** `undefined` when the definition is refused. */
export async function serveKind(
  { client, server }: TestServer,
  definition: CustomResourceDefinition,
): Promise<KindDefinition | undefined> {
  const { spec: wanted } = definition;
  try {
    const made = await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition);
    const state = { status: 'True', reason: 'Fine', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' } as const;
    const conditions = ['NamesAccepted', 'Established'].map((type) => ({ type, ...state }));
    const status = { conditions, acceptedNames: made.spec.names, storedVersions: ['v1'] };
    await client.update(CUSTOM_RESOURCE_DEFINITIONS, { ...made, status }, { subresource: 'status' });
  } catch (error) {
    if (error instanceof StatusError && error.code < 500) return undefined;
    throw error;
  }
  const find = () => server.registry.byResource(wanted.group, 'v1', wanted.names.plural);
  for (let turns = 0; turns < 100 && find() === undefined; turns++) await pause();
  return find();
}
