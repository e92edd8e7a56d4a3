import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../kube/objects.ts';
import { createRegistry } from '../registry/registry.ts';
import { checkObject } from '../schema/check.ts';
import { fieldSelectorProblem } from './selectable-fields.ts';

const registry = createRegistry();
const kindOf = (group: string, version: string, kind: string) => {
  const definition = registry.byKind(group, version, kind);
  if (!definition) throw new Error(`no ${kind}`);
  return definition;
};

type Facts = readonly (readonly [
  apiVersion: string,
  kind: string,
  name: string,
  { readonly [path: string]: string },
])[];
const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const facts = JSON.parse(read('testdata/upstream-fields.json')) as Facts;
const objects = read('../printers/testdata/upstream-tables.jsonl')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => (JSON.parse(line) as [KubeObject])[0]);

describe('selectable fields', () => {
  it('have the values upstream gives them', () => {
    expect(facts.length).toBeGreaterThan(50);
    for (const [apiVersion, kind, name, fields] of facts) {
      const object = objects.find((o) => o.apiVersion === apiVersion && o.kind === kind && o.metadata.name === name);
      const [version = '', group = ''] = apiVersion.split('/').toReversed();
      const { selectableFields, schema, strategy } = kindOf(group, version, kind);
      const stored = strategy.defaults(checkObject(schema, object).object as KubeObject);
      const known = Object.entries(selectableFields).filter(([path]) => fields[path] !== undefined);
      const values = known.map(([path, reader]) => [name, path, reader(stored)]);
      expect(values).toEqual(known.map(([path]) => [name, path, fields[path]]));
    }
  });

  it('of pods are all that upstream registers', () => {
    expect(Object.keys(kindOf('', 'v1', 'Pod').selectableFields).toSorted()).toEqual(
      [
        'spec.host',
        'spec.hostNetwork',
        'spec.nodeName',
        'spec.restartPolicy',
        'spec.schedulerName',
        'spec.serviceAccountName',
        'status.nominatedNodeName',
        'status.phase',
        'status.podIP',
        'status.podIPs',
      ].toSorted(),
    );
  });

  it.each([
    ['', 'v1', 'Pod', 'spec.nodeName', undefined],
    ['', 'v1', 'Pod', 'metadata.namespace', undefined],
    ['', 'v1', 'Pod', 'spec.image', 'field label not supported: spec.image'],
    ['', 'v1', 'Node', 'metadata.namespace', 'field label not supported: metadata.namespace'],
    ['', 'v1', 'Node', 'metadata.name', undefined],
    ['', 'v1', 'Event', 'involvedObject.uid', undefined],
    ['events.k8s.io', 'v1', 'Event', 'regarding.kind', undefined],
    ['events.k8s.io', 'v1', 'Event', 'source', 'field label not supported: source'],
    ['batch', 'v1', 'Job', 'status.failed', 'field label "status.failed" not supported for Job'],
    ['apps', 'v1', 'DaemonSet', 'metadata.name', undefined],
    [
      'resource.k8s.io',
      'v1',
      'ResourceSlice',
      'x',
      'field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: x',
    ],
    ['apps', 'v1', 'DaemonSet', 'x', '"x" is not a known field selector: only "metadata.name", "metadata.namespace"'],
    ['', 'v1', 'Pod', 'constructor', 'field label not supported: constructor'],
    ['', 'v1', 'Pod', '__proto__', 'field label not supported: __proto__'],
  ])('%s/%s %s: %s', (group, version, kind, path, problem) => {
    expect(fieldSelectorProblem(kindOf(group, version, kind), path)).toBe(problem);
  });
});
