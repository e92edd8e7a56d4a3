import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMPONENT_ANNOTATIONS, COMPONENT_LABELS } from '../../../core/api/names.ts';
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import type { Inventory } from './inventory.ts';
import { refKey, refText, type ObjectRef } from './object-ref.ts';
import { planApply, type Plan, type PlanInput } from './plan.ts';
import { prepare, rankOf } from './prepare.ts';
import type { ComponentIdentity } from './rendered.ts';

const IDENTITY: ComponentIdentity = { name: 'agent', namespace: 'logging' };
const object = (kind: string, name: string, apiVersion = 'v1'): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name },
});
const ALL: readonly KubeObject[] = [
  object('DaemonSet', 'agent', 'apps/v1'),
  object('Secret', 's'),
  object('ConfigMap', 'c'),
  object('PersistentVolumeClaim', 'p'),
  object('ServiceAccount', 'a'),
  object('ClusterRole', 'r', 'rbac.authorization.k8s.io/v1'),
  object('CustomResourceDefinition', 'x.y', 'apiextensions.k8s.io/v1'),
  object('Namespace', 'logging'),
];
const prepared = (objects: readonly KubeObject[]) =>
  prepare({
    identity: IDENTITY,
    objects: objects.map((each) =>
      each.kind === 'CustomResourceDefinition'
        ? ({
            ...each,
            spec: { group: 'y', names: { plural: 'x', kind: 'X' }, scope: 'Cluster', versions: [] },
          } as KubeObject)
        : each,
    ),
  });
const EVERYTHING = prepared(ALL);

const stored = (each: KubeObject, metadata: Partial<Stored['metadata']> = {}): Stored => ({
  ...each,
  metadata: {
    ...each.metadata,
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...metadata,
  },
});
const inventoryOf = (objects: readonly ObjectRef[], more: Partial<Inventory> = {}): Inventory => ({
  identity: IDENTITY,
  objects,
  phase: 'settled',
  ...more,
});
const actions = ({ steps }: Plan): readonly string[] => steps.map(({ action, ref }) => `${action} ${refText(ref)}`);
const plan = (input: Partial<PlanInput>): Plan =>
  planApply({ identity: IDENTITY, objects: [], inventory: undefined, live: new Map(), ...input });

describe('a plan', () => {
  it('makes namespaces, then kinds, then what belongs to the cluster, and DaemonSets last', () => {
    expect(actions(plan({ objects: EVERYTHING }))).toEqual([
      'create Namespace logging',
      'create CustomResourceDefinition x.y',
      'create ClusterRole r',
      'create Secret logging/s',
      'create ConfigMap logging/c',
      'create PersistentVolumeClaim logging/p',
      'create ServiceAccount logging/a',
      'create DaemonSet logging/agent',
    ]);
  });

  it('prunes in reverse, and never namespaces or claims', () => {
    const live = new Map(EVERYTHING.map(({ key, object: each }) => [key, stored(each)]));
    const inventory = inventoryOf(EVERYTHING.map(({ ref }) => ref));
    const result = plan({ inventory, live });
    expect(actions(result)).toEqual([
      'prune DaemonSet logging/agent',
      'prune ServiceAccount logging/a',
      'keep PersistentVolumeClaim logging/p',
      'prune ConfigMap logging/c',
      'prune Secret logging/s',
      'prune ClusterRole r',
      'prune CustomResourceDefinition x.y',
      'keep Namespace logging',
    ]);
    expect(result.after.map(refText)).toEqual(['Namespace logging']);
  });

  it('shares a namespace that others made, and forgets it', () => {
    const namespace = prepared([object('Namespace', 'logging')]);
    const [only] = namespace;
    const live = new Map([[only?.key ?? '', stored(object('Namespace', 'logging'))]]);
    const result = plan({ objects: namespace, live, inventory: inventoryOf([only?.ref as ObjectRef]) });
    expect(actions(result)).toEqual(['share Namespace logging']);
    expect([result.after, result.during]).toEqual([[], []]);
  });

  const config = prepared([object('ConfigMap', 'c')]);
  const [wanted] = config;
  const key = wanted?.key ?? '';
  const withLabels = (labels: { readonly [key: string]: string }): ReadonlyMap<string, Stored> =>
    new Map([[key, stored(object('ConfigMap', 'c'), { labels })]]);
  const others = withLabels({ [COMPONENT_LABELS.component]: 'other', [COMPONENT_LABELS.namespace]: 'logging' });
  const nobodys = withLabels({ [COMPONENT_LABELS.component]: 'agent' });

  it.each([
    ['never', others, 'belongs to component logging/other'],
    ['unowned', others, 'belongs to component logging/other'],
    ['any', others, undefined],
    ['never', nobodys, 'belongs to no component'],
    ['unowned', nobodys, undefined],
    ['any', nobodys, undefined],
  ] as const)('with adoption "%s" touches only what it may (%#)', (adopt, live, refusal) => {
    const { refusals, steps } = plan({ objects: config, live, adopt });
    expect(refusals.map(({ message }) => message)).toEqual(
      refusal === undefined ? [] : [expect.stringContaining(refusal) as string],
    );
    expect(steps.map(({ action }) => action)).toEqual(refusal === undefined ? ['adopt'] : []);
  });

  it('knows again what lost its labels, if we applied it and have it on the list', () => {
    const managedFields = [
      { manager: 'everynode', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} },
    ];
    const live = new Map([[key, stored(object('ConfigMap', 'c'), { managedFields })]]);
    const inventory = inventoryOf([wanted?.ref as ObjectRef]);
    expect(actions(plan({ objects: config, live, inventory }))).toEqual(['apply ConfigMap logging/c']);
    expect(plan({ objects: config, live }).refusals.length).toBe(1);
  });

  it('lets go of what is to be kept, of what others took and of what others made anew', () => {
    const ours = wanted?.object.metadata.labels ?? {};
    const inventory = inventoryOf([wanted?.ref as ObjectRef]);
    const kept = new Map([
      [key, stored(object('ConfigMap', 'c'), { labels: ours, annotations: { [COMPONENT_ANNOTATIONS.keep]: 'true' } })],
    ]);
    for (const live of [kept, others, nobodys]) {
      const result = plan({ inventory, live });
      expect(actions(result)).toEqual(['keep ConfigMap logging/c']);
      expect(result.after).toEqual([]);
    }
  });

  it('is settled only when nothing is left to write', () => {
    const labels = wanted?.object.metadata.labels ?? {};
    const present = stored(object('ConfigMap', 'c'), { labels });
    const live = new Map([[key, present]]);
    const refs = [wanted?.ref as ObjectRef];
    const settled = { objects: config, live, predicted: live, inventory: inventoryOf(refs) };
    expect(plan(settled).isSettled).toBe(true);
    const changed = new Map([[key, { ...present, data: { a: 'b' } } as Stored]]);
    const owned = [{ manager: 'everynode', operation: 'Apply', fieldsV1: {} }];
    const taken = new Map([[key, stored(present, { managedFields: owned, labels })]]);
    for (const other of [
      { predicted: changed },
      { predicted: taken },
      { predicted: new Map<string, Stored>() },
      { inventory: undefined },
      { inventory: inventoryOf([]) },
      { inventory: inventoryOf(refs, { phase: 'applying' }) },
      { inventory: inventoryOf(refs, { undone: { revision: 1, at: 'x' } }) },
      { inventory: inventoryOf(refs, { identity: { ...IDENTITY, uid: 'u' } }) },
      { live: new Map<string, Stored>() },
    ] satisfies readonly Partial<PlanInput>[])
      expect(plan({ ...settled, ...other }).isSettled).toBe(false);
  });

  it('times and versions alone are no change', () => {
    const labels = wanted?.object.metadata.labels ?? {};
    const at = (time: string, resourceVersion: string): ReadonlyMap<string, Stored> =>
      new Map([
        [
          key,
          stored(object('ConfigMap', 'c'), {
            labels,
            resourceVersion,
            managedFields: [{ manager: 'everynode', operation: 'Apply', time, fieldsV1: {} }],
          }),
        ],
      ]);
    const inventory = inventoryOf([wanted?.ref as ObjectRef]);
    expect(plan({ objects: config, live: at('a', '1'), predicted: at('b', '2'), inventory }).isSettled).toBe(true);
  });

  it('waits out what is being deleted', () => {
    const labels = wanted?.object.metadata.labels ?? {};
    const live = new Map([
      [key, stored(object('ConfigMap', 'c'), { labels, deletionTimestamp: '2026-01-01T00:00:00Z' })],
    ]);
    expect(actions(plan({ objects: config, live }))).toEqual(['recreate ConfigMap logging/c']);
  });

  it('whatever is there: every list covers what is written, and nothing foreign is touched', () => {
    const OWNER = fc.constantFrom('ours', 'other', 'nobody', 'absent');
    const subset = fc.subarray([...EVERYTHING]);
    const owners = fc.array(OWNER, { minLength: ALL.length, maxLength: ALL.length });
    fc.assert(
      fc.property(subset, subset, owners, (objects, listed, whose) => {
        const live = new Map<string, Stored>();
        EVERYTHING.forEach(({ key: at, object: each, ref }, i) => {
          const bare = stored({ ...each, metadata: { name: ref.name, namespace: ref.namespace } });
          const labels = { [COMPONENT_LABELS.component]: 'other', [COMPONENT_LABELS.namespace]: 'x' };
          if (whose[i] === 'ours') live.set(at, stored(each));
          else if (whose[i] === 'other') live.set(at, stored(bare, { labels }));
          else if (whose[i] === 'nobody') live.set(at, bare);
        });
        const inventory = inventoryOf(listed.map(({ ref }) => ref));
        const { steps, during, after, refusals } = plan({ objects, inventory, live });
        const onList = new Set(during.map(refKey));
        for (const ref of after) expect(onList.has(refKey(ref))).toBe(true);
        for (const step of steps) {
          const at = refKey(step.ref);
          const owner = whose[EVERYTHING.findIndex((each) => each.key === at)];
          if (step.action === 'create' || step.action === 'apply') expect(onList.has(at)).toBe(true);
          if (step.action === 'apply' || step.action === 'prune') expect(owner).toBe('ours');
          expect(step.action).not.toBe('adopt');
        }
        const writes = steps
          .filter(({ action }) => action === 'create' || action === 'apply')
          .map(({ ref }) => rankOf(ref));
        expect(writes).toEqual(writes.toSorted((a, b) => a - b));
        const refused = new Set(refusals.map(({ object: ref }) => (ref === undefined ? '' : refKey(ref))));
        for (const { key: at } of objects)
          expect(refused.has(at) || steps.some(({ ref }) => refKey(ref) === at)).toBe(true);
      }),
    );
  });
});

describe('preparing', () => {
  it('refuses the same object twice, and kinds it does not know', () => {
    expect(() => prepared([object('ConfigMap', 'c'), object('ConfigMap', 'c')])).toThrow('ConfigMap logging/c twice');
    expect(() => prepared([object('Widget', 'w', 'example.test/v1')])).toThrow('nothing is known of Widget');
  });

  it('sends no status, nothing the server keeps, and Secrets in base64', () => {
    const full = {
      ...object('Secret', 's'),
      metadata: { name: 's', uid: 'u', resourceVersion: '1', creationTimestamp: 'x', managedFields: [], generation: 3 },
      stringData: { b: 'text', __proto__: 'x' },
      data: { a: 'eA==' },
      status: { x: 1 },
    } as unknown as KubeObject;
    const [only] = prepared([full]);
    expect(only?.object).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      data: { a: 'eA==', b: 'dGV4dA==' },
      metadata: {
        name: 's',
        namespace: 'logging',
        labels: { [COMPONENT_LABELS.component]: 'agent', [COMPONENT_LABELS.namespace]: 'logging' },
      },
    });
  });
});
