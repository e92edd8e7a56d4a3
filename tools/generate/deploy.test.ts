import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { OPERATOR_RIGHTS } from '../../src/assembly/catalogue/operator-rights.ts';
import { WEBHOOK_RIGHTS } from '../../src/assembly/catalogue/rights.ts';
import { selectableNames } from '../../src/assembly/catalogue/select.ts';
import { componentDefinitions } from '../../src/core/api/component/definitions.ts';
import { OWN_RESOURCES } from '../../src/core/api/facts/own-resources.ts';
import { VERSION } from '../../src/core/api/version.ts';
import { crdFiles, PACKAGED_KINDS } from './deploy-crds.ts';
import { plainManifests } from './deploy-manifests.ts';
import { webhooksFile } from './deploy-rights.ts';
import { chartValues } from './deploy-values.ts';
import { CHART, generateDeploy, presentDefinitions, ROOT } from './deploy.ts';

const read = (path: string): string => readFileSync(`${ROOT}/${path}`, 'utf8');
const VALUES = read(`${CHART}/values.yaml`);
const SCHEMA = read(`${CHART}/values.schema.json`);

describe('generated files of deploy/', () => {
  it.each([...generateDeploy()])('%s is fresh (node tools/generate/deploy.ts)', (path, text) => {
    expect(read(path)).toBe(text);
  });

  it('hold no definition of a kind that has left', () => {
    const files = generateDeploy();
    expect(presentDefinitions().filter((path) => !files.has(path))).toEqual([]);
  });
});

describe('the chart', () => {
  it('has the version of what it installs', () => {
    const { version, appVersion } = parse(read(`${CHART}/Chart.yaml`)) as { version: string; appVersion: string };
    expect([version, appVersion]).toEqual([VERSION.product, VERSION.product]);
    expect(read('deploy/manifests/kustomization.yaml')).toContain(`newTag: ${VERSION.product}`);
    expect((JSON.parse(read('package.json')) as { version: string }).version).toBe(VERSION.product);
  });

  it('knows rights of every controller, and of nothing else', () => {
    const features = new Set([...OPERATOR_RIGHTS, ...WEBHOOK_RIGHTS].map(({ feature }) => feature));
    const controllers = selectableNames('operator');
    const known = new Set(['base', 'webhooks', ...controllers]);
    expect([...features].filter((feature) => !known.has(feature))).toEqual([]);
    expect(controllers.filter((name) => !features.has(name))).toEqual([]);
  });
});

describe('values', () => {
  const validate = new Ajv({ strict: false, allErrors: true }).compile(JSON.parse(SCHEMA) as object);

  it('are all documented, and all in the schema with a type', () => {
    const values = chartValues(VALUES, SCHEMA);
    expect(values.filter(({ about }) => about === '').map(({ path }) => path)).toEqual([]);
    expect(values.filter(({ type }) => type === '').map(({ path }) => path)).toEqual([]);
    expect(values.length).toBeGreaterThan(50);
  });

  it('are as the schema wants them, and the schema knows no others', () => {
    const schema = JSON.parse(SCHEMA) as Schema;
    const values = parse(VALUES) as { [key: string]: unknown };
    expect(validate(values), JSON.stringify(validate.errors)).toBe(true);
    expect(
      Object.keys(schema.properties ?? {})
        .filter((key) => key !== 'global')
        .toSorted(),
    ).toEqual(Object.keys(values).toSorted());
    expect(openGroups(schema, values, '')).toEqual([]);
  });

  it.each([
    ['an unknown key', { nonsense: 1 }],
    ['an unknown key inside', { image: { repositry: 'x' } }],
    ['a text for a number', { replicas: '2' }],
    ['a port out of range', { health: { port: 70_000 } }],
    ['an unknown level', { log: { level: 'loud' } }],
    ['a digest that is none', { image: { digest: 'sha256:abc' } }],
    ['a time without a unit', { leaderElection: { leaseDuration: '15' } }],
    ['environment without a name', { controller: { env: [{ value: 'x' }] } }],
    ['an argument that is none', { controller: { extraArgs: ['up'] } }],
    ['a label that is a number', { podLabels: { a: 1 } }],
    ['no controllers', { controllers: [] }],
  ])('with %s are refused', (_, values) => {
    expect(validate(values)).toBe(false);
  });
});

interface Schema {
  readonly type?: string;
  readonly additionalProperties?: unknown;
  readonly properties?: { readonly [name: string]: Schema };
}

/** Groups of values whose keys the schema does not close. */
function openGroups(schema: Schema, values: { readonly [key: string]: unknown }, path: string): readonly string[] {
  if (schema.properties === undefined) return [];
  const missing = Object.keys(values).filter((key) => schema.properties?.[key] === undefined);
  return [
    ...(schema.additionalProperties === false ? [] : [path]),
    ...missing.map((key) => `${path}${key}`),
    ...Object.entries(values).flatMap(([key, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? openGroups(schema.properties?.[key] ?? {}, value as { [key: string]: unknown }, `${path}${key}.`)
        : [],
    ),
  ];
}

describe('definitions of custom resources', () => {
  const all = OWN_RESOURCES.trim()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([group, , resource]) => `${resource}.${group}`);

  it('can be made of every kind of our own', () => {
    const files = crdFiles([...new Set(all)]);
    expect(files.size).toBe(new Set(all).size);
    for (const text of files.values()) expect(text).toContain('openAPIV3Schema');
  });

  it('are packaged only of kinds that there are', () => {
    const components = componentDefinitions().map(({ metadata }) => metadata.name);
    expect(PACKAGED_KINDS.filter((name) => ![...all, ...components].includes(name))).toEqual([]);
    expect(components.filter((name) => !PACKAGED_KINDS.includes(name))).toEqual([]);
    expect(() => crdFiles(['nothing.example.com'])).toThrow('nothing.example.com');
  });
});

describe('plain manifests', () => {
  it('have nothing of Helm, and what others stand on first', () => {
    const { definitions, operator: text } = plainManifests(`
kind: CustomResourceDefinition
apiVersion: apiextensions.k8s.io/v1
metadata: { name: c, annotations: { helm.sh/resource-policy: keep } }
---
kind: Deployment
apiVersion: apps/v1
metadata: { name: b, labels: { app.kubernetes.io/managed-by: Helm, helm.sh/chart: x, app: y } }
---
# Source: nothing
---
kind: ServiceAccount
apiVersion: v1
metadata: { name: a }
`);
    expect(text.match(/^kind: .*$/gm)).toEqual(['kind: Namespace', 'kind: ServiceAccount', 'kind: Deployment']);
    expect(text).toContain('app: y');
    expect(text).not.toMatch(/helm.sh|managed-by/);
    // Deleting the operator by its file deletes no definition.
    expect(definitions.match(/^kind: .*$/gm)).toEqual(['kind: CustomResourceDefinition']);
    expect(definitions).not.toMatch(/helm.sh/);
  });
});

describe('webhooks of the chart', () => {
  it('are called at the path where the server has them', () => {
    const text = webhooksFile([
      {
        name: 'guard',
        phase: 'validate',
        webhook: { name: 'guard.everynode.dev', rules: [], failurePolicy: 'Fail', timeoutSeconds: 5 },
      },
    ]);
    expect(parse(text)).toMatchObject({ webhooks: [{ path: '/validate/guard', name: 'guard.everynode.dev' }] });
  });
});
