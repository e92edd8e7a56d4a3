/**
 * KubernetesDaemonSet on the embedded cluster: ordinary custom resource definitions, as the chart brings them to any
 * other cluster. A definition that everynode wrote follows the version that runs; one that another client wrote or
 * changed is left alone.
 */
import { createHash } from 'node:crypto';
import { componentDefinitions } from '../core/api/component/definitions.ts';
import { defaultDefinition } from '../core/api/custom/crd/defaults.ts';
import { trustSchema } from '../core/api/custom/crd/faultless.ts';
import { DEFINITION_HASH_ANNOTATION } from '../core/api/names.ts';
import type { Registry } from '../core/api/registry/registry.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../core/api/registry/resources.ts';
import type { CustomResourceDefinition, CustomResourceDefinitionSpec } from '../core/api/types/apiextensions-v1.ts';
import { deepEqual } from '../core/kube/immutable.ts';
import { encodeJson, type Json } from '../core/kube/json.ts';
import type { Stored } from '../core/kube/objects.ts';
import { isStatus } from '../core/kube/status-error.ts';
import type { Client } from '../machinery/client/client.ts';
import type { Clock } from '../machinery/time/clock.ts';

const OURS = { name: 'app.kubernetes.io/managed-by', value: 'everynode' };

const LOOK_EVERY_MS = 2;
/** Definitions that are not served by then have another problem, which is no reason not to start. */
const WAIT_MS = 10_000;

export interface DefinitionOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly registry: Pick<Registry, 'byResource'>;
}

/** Resolves when the definitions are served: a client may apply a component as soon as the cluster is up. */
export async function ensureComponentDefinitions(around: DefinitionOptions, signal?: AbortSignal): Promise<void> {
  const written = await writeDefinitions(around.client, componentDefinitions());
  await untilServed(around, written, signal);
}

/** Returns the definitions that will be served: all but those that are being deleted. */
export async function writeDefinitions(
  client: Client,
  definitions: readonly CustomResourceDefinition[],
): Promise<readonly CustomResourceDefinition[]> {
  for (const { schema } of definitions.flatMap(({ spec }) => spec.versions))
    if (schema?.openAPIV3Schema !== undefined) trustSchema(schema.openAPIV3Schema);
  const staying = await Promise.all(
    definitions.map(async (definition) => ((await ensure(client, definition)) ? [definition] : [])),
  );
  return staying.flat();
}

export async function untilServed(
  { clock, registry }: DefinitionOptions,
  definitions: readonly CustomResourceDefinition[],
  signal?: AbortSignal,
): Promise<void> {
  const isServed = (): boolean =>
    definitions.every(({ spec: { group, names, versions } }) =>
      versions.every(({ name }) => registry.byResource(group, name, names.plural) !== undefined),
    );
  const until = clock.monotonic() + WAIT_MS;
  while (!isServed() && clock.monotonic() < until) await clock.sleep(LOOK_EVERY_MS, signal);
}

/** Resolves with false if the definition is being deleted. */
async function ensure(client: Client, wanted: CustomResourceDefinition): Promise<boolean> {
  const { metadata, spec } = defaultDefinition(wanted);
  const found = await find(client, metadata.name);
  const annotations = { [DEFINITION_HASH_ANNOTATION]: hashOf(spec) };
  if (found === undefined) {
    const labels = { [OURS.name]: OURS.value };
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, { ...wanted, metadata: { ...metadata, labels, annotations } });
    return true;
  }
  if (isWhatWeWrote(found) && !deepEqual(found.spec, spec)) {
    const own = { ...found.metadata, annotations: { ...found.metadata.annotations, ...annotations } };
    await client.update(CUSTOM_RESOURCE_DEFINITIONS, { ...found, metadata: own, spec });
  }
  return found.metadata.deletionTimestamp === undefined;
}

/** Compares the spec's hash too: `kubectl apply` of another spec leaves our labels and annotations as they are. */
function isWhatWeWrote({ metadata, spec }: CustomResourceDefinition): boolean {
  if (metadata.labels?.[OURS.name] !== OURS.value) return false;
  const hash = metadata.annotations?.[DEFINITION_HASH_ANNOTATION];
  // Releases before this annotation wrote no hash.
  return hash === undefined || hash === hashOf(spec);
}

const hashOf = (spec: CustomResourceDefinitionSpec): string =>
  createHash('sha256')
    .update(encodeJson(spec as unknown as Json))
    .digest('hex')
    .slice(0, 16);

async function find(client: Client, name: string): Promise<Stored<CustomResourceDefinition> | undefined> {
  try {
    return await client.get(CUSTOM_RESOURCE_DEFINITIONS, { name });
  } catch (error) {
    if (isStatus(error, 'NotFound')) return undefined;
    throw error;
  }
}
