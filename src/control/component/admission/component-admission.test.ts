import fc from 'fast-check';
import { globSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { API_VERSIONS, GENERATIONS } from '../../../core/api/component/generations.ts';
import type { Json, JsonObject } from '../../../core/kube/json.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import type { AdmissionRequest, AdmissionResponse } from '../../../machinery/ports/admission.ts';
import { manifestOf, type Parts } from '../../../core/component/testing/manifests.ts';
import { createComponentAdmission } from './component-admission.ts';

const plugin = createComponentAdmission();
const RESOURCE = { group: 'kubernetes.planton.dev', version: 'v1', resource: 'kubernetesdaemonsets' };

const requestOf = (object: JsonObject, oldObject?: JsonObject): AdmissionRequest => ({
  operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
  resource: RESOURCE,
  kind: 'KubernetesDaemonSet',
  subresource: '',
  tenant: 'system',
  namespace: 'default',
  name: 'agent',
  object: object as unknown as KubeObject,
  ...(oldObject === undefined ? {} : { oldObject: oldObject as unknown as KubeObject }),
  dryRun: false,
  user: { name: 'someone', groups: [] },
});

const ask = (object: JsonObject, oldObject?: JsonObject): AdmissionResponse => {
  const answer = plugin.validate?.(requestOf(object, oldObject));
  if (answer === undefined || answer instanceof Promise) throw new Error('it answers at once');
  return answer;
};
const askParts = (parts: Parts): AdmissionResponse => ask(manifestOf(parts));

const causesOf = (answer: AdmissionResponse): readonly string[] =>
  answer.allowed ? [] : (answer.error.status.details?.causes ?? []).map(({ reason, field }) => `${reason} ${field}`);

describe('components that are stored', () => {
  it('are looked at when they are made and changed, in every generation, and not their subresources', () => {
    for (const { group, version } of GENERATIONS) {
      const resource = { ...RESOURCE, group, version };
      expect(plugin.handles({ operation: 'CREATE', resource, subresource: '' })).toBe(true);
      expect(plugin.handles({ operation: 'UPDATE', resource, subresource: '' })).toBe(true);
      expect(plugin.handles({ operation: 'DELETE', resource, subresource: '' })).toBe(false);
      expect(plugin.handles({ operation: 'UPDATE', resource, subresource: 'status' })).toBe(false);
    }
    const others = [
      { group: 'apps', version: 'v1', resource: 'daemonsets' },
      { ...RESOURCE, group: 'example.com' },
      { ...RESOURCE, resource: 'kubernetesdeployments' },
    ];
    for (const resource of others) {
      expect(plugin.handles({ operation: 'CREATE', resource, subresource: '' })).toBe(false);
    }
  });

  it.each(API_VERSIONS)('may be of %s', (apiVersion) => {
    expect(ask({ ...manifestOf(), apiVersion })).toEqual({ allowed: true });
  });

  const folder = new URL('../../../../examples/components/', import.meta.url);
  it.each(globSync('*.yaml', { cwd: folder }).toSorted())('may be the example %s, but for its secrets', (file) => {
    const { metadata, ...rest } = parse(readFileSync(new URL(file, folder), 'utf8')) as { metadata: JsonObject };
    const object = { ...rest, metadata: { ...metadata, namespace: 'default', uid: 'u', managedFields: [] } };
    const answer = ask(object);
    // Examples that take secrets from the author's environment are for the command line; they have no other problem.
    if (!answer.allowed) expect(answer.error.message.match(/\[EN_\w+\]/g)).toEqual(['[EN_COMPONENT_LITERAL_SECRET]']);
  });

  it('may refer to others, which may come later', () => {
    const valueFrom = { name: 'other', fieldPath: 'status.outputs.namespace' };
    const answer = askParts({
      spec: { namespace: { valueFrom: { name: 'logging' } } },
      app: {
        env: {
          variables: [{ name: 'A', valueFrom }],
          secrets: [
            { name: 'B', valueFrom },
            { name: 'C', secretRef: { namespace: 'where-it-will-be', name: 's', key: 'k' } },
          ],
        },
      },
    });
    expect(answer).toEqual({ allowed: true });
    expect(causesOf(askParts({ app: { env: { variables: [{ name: 'A', valueFrom: { name: 'x' } }] } } }))).toEqual([
      'FieldValueInvalid spec.container.app.env.variables[0].valueFrom',
    ]);
  });

  it('are warned of what is unwise and not silenced', () => {
    const app = { image: 'busybox:latest', securityContext: { privileged: true } };
    const silenced = { annotations: { 'lint.everynode.dev/privileged': 'loads a kernel module' } };
    const { warnings = [] } = askParts({ app, metadata: silenced });
    expect(warnings.join('\n')).toMatch(/^spec\.container\.app\.image.*latest/);
    expect(warnings.join('\n')).not.toContain('privileged');
    expect(askParts({ app }).warnings?.length).toBe(2);
  });

  it('are warned in a few lines, however much there is', () => {
    const sidecars = Array.from({ length: 30 }, (_, index) => ({ name: `s-${index}`, image: 'busybox:latest' }));
    const { warnings = [] } = askParts({ sidecars });
    expect(warnings.length).toBe(10);
    expect(warnings.at(-1)).toBe('and 21 more');
    for (const warning of warnings) expect(warning.length).toBeLessThanOrEqual(256);
  });
});

describe('components that are refused', () => {
  it('are told of everything at once, as a Status that names the fields', () => {
    const answer = askParts({
      app: {
        ports: [{ name: 'BAD', containerPort: 1 }],
        volume_mounts: [{ name: 'v', mountPaht: '/v', hostPath: '/v' }],
        env: { secrets: { A: 'hunter2' } },
      },
      spec: {
        createNamespace: 'yes',
        rbac: { clusterRules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
      },
    });
    expect(causesOf(answer)).toEqual([
      'FieldValueForbidden spec.container.app.env.secrets.A',
      'FieldValueTypeInvalid spec.createNamespace',
      'FieldValueInvalid spec.container.app.ports[0].name',
      'FieldValueForbidden spec.container.app.volume_mounts[0].mountPaht',
      'FieldValueRequired spec.container.app.volume_mounts[0].mountPath',
      'FieldValueForbidden spec.rbac',
    ]);
    if (answer.allowed) throw new Error('it is refused');
    expect(answer.error.status).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: expect.stringMatching(/^KubernetesDaemonSet\.kubernetes\.planton\.dev "agent" is invalid: \[/) as string,
      details: { name: 'agent', group: 'kubernetes.planton.dev', kind: 'KubernetesDaemonSet' },
    });
    expect(answer.error.message).toContain('did you mean mountPath?');
  });

  it('for a secret are told what to do instead', () => {
    const answer = askParts({
      app: { env: { secrets: { A: 'hunter2', B: 'env:TOKEN', C: 'file:token', D: 'literal:x', E: '' } } },
      sidecars: [{ name: 's', image: 'a:1', env: { secrets: [{ name: 'F', value: 'hunter2' }] } }],
      pod: {
        initContainers: [{ name: 'i', image: 'a:1', env: { secrets: { G: { value: 'hunter2' } } } }],
        imageRegistries: [{ server: 'a.io', username: 'u', password: 'hunter2' }],
      },
    });
    expect(causesOf(answer)).toEqual([
      ...['A', 'B', 'C', 'D', 'E'].map((name) => `FieldValueForbidden spec.container.app.env.secrets.${name}`),
      'FieldValueForbidden spec.container.sidecars[0].env.secrets[0].value',
      'FieldValueForbidden spec.pod.initContainers[0].env.secrets.G.value',
      'FieldValueForbidden spec.pod.imageRegistries[0].password',
    ]);
    if (answer.allowed) throw new Error('it is refused');
    expect(answer.error.message).toContain('secretRef: {name, key}');
    expect(answer.error.message).toContain('pod.imagePullSecrets');
    expect(answer.error.message).toContain('[EN_COMPONENT_LITERAL_SECRET]');
  });

  it('for a file of a registry login, which the controller cannot read', () => {
    const key = 'kubernetes.openmcf.org/docker-config-json-file';
    for (const place of ['annotations', 'labels']) {
      const answer = askParts({ metadata: { [place]: { [key]: 'login.json' } } });
      expect(causesOf(answer)).toEqual([`FieldValueForbidden metadata.${place}["${key}"]`]);
    }
  });

  it('are told of what nobody wrote, too', () => {
    expect(causesOf(ask({ ...manifestOf(), spec: {} }))).toEqual([
      'FieldValueRequired spec.namespace',
      'FieldValueRequired spec.container',
    ]);
    const { spec: _, ...without } = manifestOf();
    expect(causesOf(ask(without))).toEqual(['FieldValueRequired spec']);
  });
});

describe('changes', () => {
  const bad = manifestOf({ app: { env: { secrets: { A: 'hunter2' } } } });
  const metaOf = (object: JsonObject): JsonObject => object['metadata'] as JsonObject;

  it.each<[string, JsonObject]>([
    ['the status', { ...bad, status: { phase: 'Ready' } }],
    ['labels', { ...bad, metadata: { ...metaOf(bad), labels: { a: 'b' } } }],
    ['annotations', { ...bad, metadata: { ...metaOf(bad), annotations: { a: 'b' } } }],
    ['finalizers', { ...bad, metadata: { ...metaOf(bad), finalizers: ['everynode.dev/component'] } }],
    ['the time of its deletion', { ...bad, metadata: { ...metaOf(bad), deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    ['nothing', structuredClone(bad)],
  ])('of %s are let through, whatever the spec says', (_, changed) => {
    expect(ask(changed, bad)).toEqual({ allowed: true });
  });

  it('of the spec are judged as a whole', () => {
    const other = { ...bad, spec: { ...(bad['spec'] as JsonObject), minReadySeconds: 3 } };
    expect(causesOf(ask(other, bad))).toEqual(['FieldValueForbidden spec.container.app.env.secrets.A']);
    expect(ask(manifestOf(), bad)).toEqual({ allowed: true });
  });

  it('that name a file of a login are judged, and those that only keep it are not', () => {
    const named = manifestOf({ metadata: { annotations: { 'kubernetes.planton.dev/docker-config-json-file': 'a' } } });
    expect(causesOf(ask(named, manifestOf())).length).toBe(1);
    expect(ask(named, named)).toEqual({ allowed: true });
  });
});

describe('hostile objects', () => {
  const secret = fc.string({
    unit: fc.constantFrom(...'abcdefghij0123456789'.split('')),
    minLength: 16,
    maxLength: 20,
  });
  const around = (text: string): fc.Arbitrary<Json> =>
    fc.constantFrom<Json>(
      text,
      [text],
      { A: text },
      { A: [text] },
      { A: { value: text } },
      { A: { value: { x: text } } },
      [{ name: 'A', value: text }],
      [{ name: 'A', value: [text] }],
      [{ name: 'A', vaule: text }],
      [[text]],
    );

  it('never get their secrets into an answer, wherever these stand', () => {
    fc.assert(
      fc.property(
        secret.chain((text) => fc.tuple(fc.constant(text), around(text), around(text), fc.boolean())),
        ([text, one, two, isEnvWhole]) => {
          const answer = askParts({
            app: { env: isEnvWhole ? text : { secrets: one } },
            sidecars: [{ name: 's', image: 'a:1', env: { secrets: two } }],
            pod: { imageRegistries: one },
          });
          expect(answer.allowed).toBe(false);
          const shown = inspect(answer, { depth: 30 }) + JSON.stringify(answer);
          expect(shown).not.toContain(text);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('of any shape are answered', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 }), (spec, app) => {
        expect(typeof ask({ ...manifestOf(), spec }).allowed).toBe('boolean');
        expect(typeof ask(manifestOf({ spec: { container: { app } } })).allowed).toBe('boolean');
      }),
      { numRuns: 200 },
    );
    const evil = JSON.parse('{"__proto__": {"a": 1}, "constructor": 1}') as JsonObject;
    expect(causesOf(ask(manifestOf({ spec: evil })))).toEqual([
      'FieldValueForbidden spec.__proto__',
      'FieldValueForbidden spec.constructor',
    ]);
  });

  it('with very many mistakes are answered in a bounded one', () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`field${index}`, 1]));
    const answer = askParts({ app: { ...many, env: { secrets: { A: 'hunter2' } } } });
    expect(causesOf(answer).length).toBe(100);
    expect(causesOf(answer)[0]).toBe('FieldValueForbidden spec.container.app.env.secrets.A');
    const tolerations = Array.from({ length: 5_000 }, (_, index) => ({ key: `a b${index}` }));
    expect(causesOf(askParts({ spec: { tolerations } })).length).toBe(100);
  });
});
