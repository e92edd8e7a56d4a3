/** Definitions and objects for tests, and the few waits they need. */
import type { CustomResourceDefinition, JSONSchemaProps } from '../../src/core/api/types/apiextensions-v1.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../src/core/api/registry/resources.ts';
import type { KubeObject, Resource, Stored } from '../../src/core/kube/objects.ts';
import { StatusError } from '../../src/core/kube/status-error.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { vi } from 'vitest';

/** Tries until it no longer throws. */
export const eventually = <T>(attempt: () => Promise<T>): Promise<T> =>
  vi.waitFor(attempt, { timeout: 15_000, interval: 20 });

export interface Thing extends KubeObject {
  readonly spec?: { readonly [name: string]: unknown };
  readonly status?: { readonly [name: string]: unknown };
}

type Version = CustomResourceDefinition['spec']['versions'][number];

export const objectOf = (properties: { readonly [name: string]: JSONSchemaProps }): JSONSchemaProps => ({
  type: 'object',
  properties,
});

/** A schema with this spec. */
export const specOf = (
  properties: { readonly [name: string]: JSONSchemaProps },
  more: JSONSchemaProps = {},
): JSONSchemaProps => objectOf({ spec: { ...objectOf(properties), ...more } });

export const versionOf = (schema: JSONSchemaProps, more: Partial<Version> = {}): Version => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  ...more,
});

export interface DefinitionOptions {
  readonly plural?: string;
  readonly kind?: string;
  readonly group?: string;
  readonly scope?: 'Cluster' | 'Namespaced';
  readonly spec?: Partial<CustomResourceDefinition['spec']>;
  readonly shortNames?: readonly string[];
}

export function definitionOf(
  versions: Version | readonly Version[],
  {
    plural = 'things',
    kind = 'Thing',
    group = 'test.example.com',
    scope = 'Namespaced',
    ...more
  }: DefinitionOptions = {},
): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, kind, ...(more.shortNames === undefined ? {} : { shortNames: more.shortNames }) },
      versions: Array.isArray(versions) ? (versions as readonly Version[]) : [versions as Version],
      ...more.spec,
    },
  };
}

export const resourceOf = ({ spec }: CustomResourceDefinition, version = 'v1'): Resource<Thing> => ({
  group: spec.group,
  version,
  resource: spec.names.plural,
  kind: spec.names.kind,
  namespaced: spec.scope === 'Namespaced',
});

export const thingOf = (
  { spec: { group, names } }: CustomResourceDefinition,
  name: string,
  spec?: Thing['spec'],
  version = 'v1',
): Thing => ({
  apiVersion: `${group}/${version}`,
  kind: names.kind,
  metadata: { name, namespace: 'default' },
  ...(spec === undefined ? {} : { spec }),
});

const conditionOf = (definition: CustomResourceDefinition, type: string): string =>
  definition.status?.conditions?.find((condition) => condition.type === type)?.status ?? '';

/** Makes the definition and waits until its kinds are served. */
export async function establish(
  client: Client,
  definition: CustomResourceDefinition,
): Promise<Stored<CustomResourceDefinition>> {
  await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition);
  return established(client, definition);
}

export async function established(
  client: Client,
  { metadata: { name }, spec }: CustomResourceDefinition,
): Promise<Stored<CustomResourceDefinition>> {
  const version = spec.versions.find(({ served }) => served)?.name ?? '';
  return eventually(async () => {
    const found = await client.get(CUSTOM_RESOURCE_DEFINITIONS, { name });
    if (conditionOf(found, 'Established') !== 'True') throw new Error(`${name} is not established`);
    await client.list(resourceOf(found, version), { limit: 1 });
    return found;
  });
}

/** What a request was refused with. */
export const refusal = async (request: Promise<unknown>): Promise<StatusError> => {
  try {
    await request;
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('should have been refused');
};
