import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../kube/objects.ts';
import { COMPONENT_PLURAL } from '../component/generations.ts';
import type { KindDefinition } from '../kind/kind-definition.ts';
import { KUBERNETES_TYPES } from '../facts/kubernetes-types.ts';
import { builtInKinds, ownKinds } from './built-in-kinds.ts';
import { OWN_TYPES } from '../facts/own-types.ts';
import { parseFacts } from '../schema/parse-facts.ts';
import { createGenericStrategy, nameIsPathSegment, nameIsSubdomain } from '../kind/generic-strategy.ts';
import { byVersionPriority, createRegistry } from './registry.ts';
import * as resources from './resources.ts';

const registry = createRegistry([...builtInKinds(), ...ownKinds()]);
const known = new Map([...parseFacts(KUBERNETES_TYPES), ...parseFacts(OWN_TYPES)]);

const found = (group: string, version: string, resource: string): KindDefinition => {
  const definition = registry.byResource(group, version, resource);
  if (definition === undefined) throw new Error(`no ${group}/${version} ${resource}`);
  return definition;
};

describe('registry', () => {
  it('finds a kind by resource and by kind', () => {
    const pods = found('', 'v1', 'pods');
    expect(pods).toMatchObject({
      kind: 'Pod',
      listKind: 'PodList',
      singular: 'pod',
      namespaced: true,
      shortNames: ['po'],
      categories: ['all'],
      schema: 'core/v1.Pod',
      hasGeneration: true,
    });
    expect(registry.byKind('', 'v1', 'Pod')).toBe(pods);
    expect(registry.byResource('apps', 'v1', 'pods')).toBeUndefined();
    expect(registry.byResource('', 'v1', '__proto__')).toBeUndefined();
    expect(registry.byKind('', 'v1', 'constructor')).toBeUndefined();
  });

  it('says which kind a subresource answers with, where it is another', () => {
    const { subresources } = found('', 'v1', 'pods');
    expect(subresources.find((sub) => sub.name === 'status')).toEqual({
      name: 'status',
      verbs: ['get', 'patch', 'update'],
    });
    expect(subresources.find((sub) => sub.name === 'eviction')).toEqual({
      name: 'eviction',
      verbs: ['create'],
      kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
    });
    expect(found('apps', 'v1', 'deployments').subresources[0]?.kind).toEqual({
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
    });
  });

  it('has a schema for every kind and its list', () => {
    const schemas = registry
      .all()
      .flatMap(({ schema, verbs }) => (verbs.includes('list') ? [schema, `${schema}List`] : [schema]));
    expect(schemas.filter((schema) => !known.has(schema))).toEqual([]);
  });

  it('agrees with the typed constants', () => {
    // Custom resources have types too, but are served by their definitions.
    const constants = Object.values(resources).filter(({ resource }) => resource !== COMPONENT_PLURAL);
    expect(constants).toHaveLength(registry.all().length);
    for (const constant of constants) {
      const { group, version, resource, kind, namespaced } = constant;
      expect(registry.byResource(group, version, resource)).toMatchObject({ kind, namespaced });
    }
  });

  it("hides no name of Kubernetes' own behind one of ours", () => {
    const namesOf = ({ resource, singular, shortNames }: KindDefinition): string[] => [
      resource,
      singular,
      ...shortNames,
    ];
    const isOwn = ({ group }: KindDefinition): boolean => group.includes('.') && !group.endsWith('.k8s.io');
    const taken = new Set(
      registry
        .all()
        .filter((kind) => !isOwn(kind))
        .flatMap(namesOf),
    );
    expect(
      registry
        .all()
        .filter(isOwn)
        .flatMap(namesOf)
        .filter((name) => taken.has(name)),
    ).toEqual([]);
  });

  it('lists groups with the preferred version first', () => {
    const groups = registry.groups();
    expect(groups[0]).toEqual({ group: '', versions: ['v1'] });
    expect(groups.find((entry) => entry.group === 'autoscaling')?.versions).toEqual(['v2', 'v1']);
    expect(registry.hasGroupVersion('karpenter.sh', 'v1')).toBe(true);
    expect(registry.hasGroupVersion('apiregistration.k8s.io', 'v1')).toBe(true);
  });

  it('warns of kinds that are on their way out', () => {
    expect(found('', 'v1', 'endpoints').deprecated).toContain('use discovery.k8s.io/v1 EndpointSlice');
    expect(found('', 'v1', 'pods').deprecated).toBeUndefined();
  });

  it('keeps two forms of an event in one storage', () => {
    const core = found('', 'v1', 'events');
    const events = found('events.k8s.io', 'v1', 'events');
    expect(registry.byStorage('', 'events')).toBe(core);
    expect(registry.byStorage('events.k8s.io', 'events')).toBeUndefined();
    expect(events.storage).toEqual(core.storage);
    expect(registry.formsOf(core.storage)).toEqual([core, events]);
  });

  it('tells listeners when kinds come and go', () => {
    const changing = createRegistry();
    const base = found('', 'v1', 'configmaps');
    const widget: KindDefinition = {
      ...base,
      group: 'example.com',
      version: 'v1',
      resource: 'widgets',
      kind: 'Widget',
    };
    let seen = 0;
    const stop = changing.onChange(() => seen++);
    changing.add([widget]);
    expect(changing.byKind('example.com', 'v1', 'Widget')).toBe(widget);
    expect([seen, changing.generation]).toEqual([1, 1]);
    expect(() => changing.add([widget])).toThrow('registered twice');
    changing.remove([widget]);
    expect(changing.byKind('example.com', 'v1', 'Widget')).toBeUndefined();
    stop();
    changing.add([widget]);
    expect(seen).toBe(2);
  });

  it('orders versions as Kubernetes does', () => {
    const shuffled = ['foo1', 'v1', 'v10', 'v1alpha1', 'v2', 'v1beta2', 'v3beta1', 'v12alpha1', 'bar'];
    expect(shuffled.toSorted(byVersionPriority)).toEqual([
      'v10',
      'v2',
      'v1',
      'v3beta1',
      'v1beta2',
      'v12alpha1',
      'v1alpha1',
      'bar',
      'foo1',
    ]);
  });
});

const order = (extra: object, metadata: object = {}): KubeObject => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Order',
  metadata: { name: 'buffer', namespace: 'default', resourceVersion: '1', ...metadata },
  ...extra,
});

describe('generic strategy', () => {
  const orders = createGenericStrategy({ namespaced: true, hasStatus: true });
  it('drops a status that comes with a create and returns the object itself otherwise', () => {
    const plain = order({ spec: { replicas: 1 } });
    expect(orders.prepareForCreate(plain)).toBe(plain);
    expect(orders.prepareForCreate(order({ spec: {}, status: { replicas: 9 } }))).toEqual(order({ spec: {} }));
  });

  it('begins with the status that Go writes when nobody set one', () => {
    const { strategy } = found('flowcontrol.apiserver.k8s.io', 'v1', 'flowschemas');
    expect(strategy.prepareForCreate(order({ status: { conditions: [{}] } }))).toEqual(order({ status: {} }));
    const counted = { replicas: 0 };
    const counting = createGenericStrategy({ namespaced: true, hasStatus: true, emptyStatus: () => counted });
    const begun = counting.prepareForCreate(order({ status: { replicas: 9 } }));
    expect(begun).toEqual(order({ status: counted }));
    expect(counting.prepareForCreate(begun)).toBe(begun);
  });

  it('keeps the status on updates and everything else on status updates', () => {
    const old = order({ spec: { replicas: 1 }, status: { replicas: 1 } });
    const update = order({ spec: { replicas: 2 }, status: { replicas: 7 } });
    expect(orders.prepareForUpdate(update, old, '')).toEqual(order({ spec: { replicas: 2 }, status: { replicas: 1 } }));
    expect(orders.prepareForUpdate(update, old, 'status')).toEqual(
      order({ spec: { replicas: 1 }, status: { replicas: 7 } }),
    );
    const bare = order({ spec: { replicas: 1 } });
    expect(orders.prepareForUpdate(update, bare, '')).toEqual(order({ spec: { replicas: 2 } }));
    expect(orders.prepareForUpdate(bare, old, 'status')).toEqual(bare);
  });

  it('counts a generation for content, not for metadata or status', () => {
    const old = order({ spec: { replicas: 1, template: { spec: { duration: '1h' } } } });
    const same = order({ spec: { template: { spec: { duration: '1h' } }, replicas: 1 }, status: {} }, { labels: {} });
    expect(orders.generationChanged(same, old)).toBe(false);
    expect(orders.generationChanged(order({ spec: { replicas: 2 } }), old)).toBe(true);
    expect(orders.generationChanged(order({}), old)).toBe(true);
    const maps = found('', 'v1', 'configmaps').strategy;
    expect(maps.generationChanged(order({ data: {} }), order({}))).toBe(false);
  });

  it('checks metadata', () => {
    expect(orders.validate(order({}))).toEqual([]);
    expect(orders.validate(order({}, { name: 'No' }))).toHaveLength(1);
    expect(orders.validateUpdate(order({}, { name: 'other' }), order({}), '')).toMatchObject([
      { field: 'metadata.name', message: 'Invalid value: "other": field is immutable' },
    ]);
  });

  it('lets names of roles be anything that can stand in a path', () => {
    expect(nameIsPathSegment('system:node', false)).toEqual([]);
    expect(nameIsPathSegment('a/b%', false)).toEqual(["may not contain '/'", "may not contain '%'"]);
    expect(nameIsPathSegment('..', false)).toEqual(["may not be '..'"]);
    expect(nameIsSubdomain('a.b-', true)).toEqual([]);
    expect(nameIsSubdomain('a.b-', false)).toHaveLength(1);
  });
});
