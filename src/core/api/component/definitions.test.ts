import { readFileSync, globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { fieldErrorMessage } from '../../kube/field-errors.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { customKinds } from '../custom/custom-kind.ts';
import { defaultDefinition } from '../custom/crd/defaults.ts';
import { validateDefinition } from '../custom/crd/validate-definition.ts';
import type { KindDefinition } from '../kind/kind-definition.ts';
import type { CustomResourceDefinition } from '../types/apiextensions-v1.ts';
import { componentDefinitions } from './definitions.ts';
import { API_VERSIONS } from './generations.ts';

const definitions = componentDefinitions();
const established = (definition: CustomResourceDefinition): CustomResourceDefinition => ({
  ...defaultDefinition(definition),
  status: {
    conditions: [{ type: 'Established', status: 'True' }],
    acceptedNames: definition.spec.names,
    storedVersions: ['v1'],
  },
});
const kinds = definitions.flatMap((definition) => customKinds(established(definition)));
const kindOf = (apiVersion: string): KindDefinition => {
  const kind = kinds.find(({ group, version }) => `${group}/${version}` === apiVersion);
  if (kind === undefined) throw new Error(apiVersion);
  return kind;
};
const judge = (object: unknown): { unknown: readonly string[]; errors: readonly string[] } => {
  const kind = kindOf((object as KubeObject).apiVersion);
  const checked = kind.custom?.check(object);
  const errors = kind.strategy.validate(kind.strategy.defaults(checked?.object as KubeObject));
  return { unknown: checked?.unknownFields ?? [], errors: errors.map(fieldErrorMessage) };
};

const folder = fileURLToPath(new URL('../../../../examples/components/', import.meta.url));
const EXAMPLES = globSync('*.yaml', { cwd: folder }).toSorted();
const example = (file: string): KubeObject => {
  const object = parse(readFileSync(folder + file, 'utf8')) as KubeObject;
  return { ...object, metadata: { ...object.metadata, namespace: 'default' } };
};

describe('definitions', () => {
  it.each(definitions.map((definition) => [definition.metadata.name, definition] as const))(
    '%s is a good one',
    (_, definition) => {
      expect(validateDefinition(established(definition)).map(fieldErrorMessage)).toEqual([]);
    },
  );

  it('serve every generation', () => {
    expect(kinds.map(({ group, version }) => `${group}/${version}`).toSorted()).toEqual(API_VERSIONS.toSorted());
  });

  it('fit into what kubectl keeps beside an object', () => {
    for (const definition of definitions) expect(JSON.stringify(definition).length).toBeLessThan(262_144);
  });
});

describe('objects', () => {
  it.each(EXAMPLES)('%s is accepted, and nothing of it is lost', (file) => {
    expect(judge(example(file))).toEqual({ unknown: [], errors: [] });
  });

  it('of the older shapes are accepted', () => {
    const old = (apiVersion: string): unknown => ({
      apiVersion,
      kind: 'KubernetesDaemonSet',
      metadata: { name: 'a', namespace: 'default' },
      spec: {
        namespace: 'x',
        create_namespace: true,
        container: {
          app: {
            image: { repo: 'r', tag: 't' },
            env: { variables: { A: 'b' }, secrets: { T: { secret_ref: { name: 's', key: 'k' } } } },
            volume_mounts: [
              { name: 'v', mount_path: '/v', host_path: '/v', host_path_type: 'Directory', read_only: true },
            ],
            liveness_probe: { http_get: { port: 80 } },
          },
          sidecars: [{ name: 's', image: 'a:1', env: [{ name: 'A', value: 'b' }] }],
        },
        config_maps: { c: 'text' },
        update_strategy: { type: 'RollingUpdate', rolling_update: { max_unavailable: '1' } },
      },
    });
    for (const apiVersion of API_VERSIONS) expect(judge(old(apiVersion))).toEqual({ unknown: [], errors: [] });
  });

  it('that say nonsense are refused by the API server already', () => {
    const object = (spec: object): unknown => ({
      apiVersion: 'kubernetes.planton.dev/v1',
      kind: 'KubernetesDaemonSet',
      metadata: { name: 'a', namespace: 'default' },
      spec: { namespace: 'x', container: { app: { image: 'a:1' } }, ...spec },
    });
    expect(judge(object({ nope: 1 })).unknown).toEqual(['spec.nope']);
    expect(judge(object({ tolerations: [{ operator: 'Has' }] })).errors[0]).toContain('Unsupported value');
    expect(judge(object({ createNamespace: 'yes' })).errors[0]).toContain('must be of type boolean');
    expect(judge(object({ namespace: undefined, container: {} })).errors.length).toBeGreaterThan(0);
    const zero = { rollingUpdate: { maxUnavailable: '0%', maxSurge: 0 } };
    expect(judge(object({ updateStrategy: zero })).errors.join()).toContain('must not both be 0');
    const fine = { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } };
    expect(judge(object({ updateStrategy: fine })).errors).toEqual([]);
  });
});
