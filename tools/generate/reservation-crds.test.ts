import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { customKinds } from '../../src/core/api/custom/custom-kind.ts';
import { defaultDefinition } from '../../src/core/api/custom/crd/defaults.ts';
import { validateDefinition } from '../../src/core/api/custom/crd/validate-definition.ts';
import type { KindDefinition } from '../../src/core/api/kind/kind-definition.ts';
import { RESERVATION_BOUNDS } from '../../src/core/api/kinds/reservation/schema-bounds.ts';
import { orderOf, quotaOf, ticketOf } from '../../src/core/api/kinds/reservation/testing/orders.ts';
import { PUBLISHED, published } from '../../src/core/api/kinds/reservation/testing/published.ts';
import { ownKinds } from '../../src/core/api/registry/built-in-kinds.ts';
import { checkObject } from '../../src/core/api/schema/check.ts';
import { findTypeSchema } from '../../src/core/api/schema/type-schema.ts';
import type { CustomResourceDefinition } from '../../src/core/api/types/apiextensions-v1.ts';
import { fieldErrorMessage } from '../../src/core/kube/field-errors.ts';
import type { KubeObject } from '../../src/core/kube/objects.ts';
import { crdFiles } from './deploy-crds.ts';
import { definitionColumns } from './reservation-crds.ts';

const NAMES = ['orders', 'tickets', 'quotas'].map((resource) => `${resource}.core.korder.dev`);
const files = crdFiles(NAMES);
const definitionOf = (name: string): CustomResourceDefinition => {
  const raw: unknown = parse(files.get(`${name}.yaml`) ?? '');
  const checked = checkObject('apiextensions/v1.CustomResourceDefinition', raw);
  expect(checked.error).toBeUndefined();
  expect(checked.unknownFields).toEqual([]);
  return defaultDefinition(checked.object as CustomResourceDefinition);
};

/** The kind as a cluster serves it once the definition is established. */
function served(name: string): KindDefinition {
  const definition = definitionOf(name);
  const acceptedNames = definition.spec.names;
  const conditions = [{ type: 'Established', status: 'True' }];
  const status = { acceptedNames, conditions, storedVersions: ['v1alpha1'] };
  const [kind] = customKinds({ ...definition, status });
  if (kind === undefined) throw new Error(`${name} is not served`);
  return kind;
}
const orders = served('orders.core.korder.dev');
const tickets = served('tickets.core.korder.dev');
const quotas = served('quotas.core.korder.dev');

const findings = ({ strategy }: KindDefinition, object: KubeObject): readonly string[] =>
  strategy.validate(strategy.defaults(object)).map(fieldErrorMessage);
const changeFindings = ({ strategy }: KindDefinition, object: KubeObject, old: KubeObject): readonly string[] =>
  strategy.validateUpdate(object, old, '').map(fieldErrorMessage);

describe('definitions of reservations', () => {
  it.each(NAMES)('%s is a structural schema that an API server accepts', (name) => {
    const definition = definitionOf(name);
    expect(
      validateDefinition({ ...definition, status: { storedVersions: ['v1alpha1'] } }).map(fieldErrorMessage),
    ).toEqual([]);
  });

  it('are known by the names that the embedded server gives', () => {
    for (const own of ownKinds(NAMES)) {
      const kind = served(`${own.resource}.${own.group}`);
      const { shortNames, categories, singular, namespaced } = kind;
      expect({ shortNames, categories, singular, namespaced }).toEqual({
        shortNames: own.shortNames,
        categories: own.categories,
        singular: own.singular,
        namespaced: own.namespaced,
      });
      expect(kind.subresources.map(({ name }) => name).toSorted()).toEqual(
        own.subresources.map(({ name }) => name).toSorted(),
      );
    }
    expect(Object.keys(tickets.selectableFields).toSorted()).toEqual(['status.nodeName', 'status.phase']);
  });

  it('have the columns of the embedded server, with what a path can say', () => {
    const columns = ({ printer }: KindDefinition) => printer.columns.map(({ name, priority }) => `${name} ${priority}`);
    for (const own of ownKinds(NAMES)) {
      const kind = served(`${own.resource}.${own.group}`);
      // Whether an Order is for every node is all that a path can say about its mode.
      expect(columns(kind).map((text) => text.replace('Every-Node', 'Mode'))).toEqual(columns(own));
    }
  });

  it('have a path for every column of the printer and for no other, or say where to edit', () => {
    const column = { type: 'string', description: 'x', priority: 0 } as const;
    const printer = { columns: ['Name', 'Phase', 'Age'].map((name) => ({ ...column, name })) };
    const columnsFor = (paths: Parameters<typeof definitionColumns>[2]) => definitionColumns('k', printer, paths);
    const Phase = { jsonPath: '.status.phase' };
    expect(columnsFor({ Phase }).map(({ name, jsonPath }) => [name, jsonPath])).toEqual([
      ['Phase', '.status.phase'],
      ['Age', '.metadata.creationTimestamp'],
    ]);
    const place = 'RESERVATION_EXTRAS in tools/generate/reservation-crds.ts';
    expect(() => columnsFor({})).toThrow(`add the jsonPath of the column Phase of k to ${place}`);
    expect(() => columnsFor({ Phase, Gone: Phase })).toThrow(
      `the printer of k has no column Gone: remove it from ${place}`,
    );
  });

  it.each(PUBLISHED)('let the published example %s in, as it is', (name) => {
    const order = published(name);
    const object = { ...order, metadata: { ...orderOf().metadata, ...order.metadata } } as KubeObject;
    const checked = orders.custom?.check(object);
    expect(checked?.error).toBeUndefined();
    expect(checked?.unknownFields).toEqual([]);
    expect(findings(orders, object)).toEqual([]);
  });

  it.each<[string, KindDefinition, KubeObject, string]>([
    ['replicas', orders, orderOf({ replicas: -1 }), 'spec.replicas'],
    ['minReadySeconds', orders, orderOf({ minReadySeconds: -1 }), 'spec.minReadySeconds'],
    ['strategy', orders, orderOf({ strategy: { type: 'Sometimes' } }), 'spec.strategy.type'],
    ['refresh policy', orders, orderOf({ refreshPolicy: 'Maybe' }), 'spec.refreshPolicy'],
    ['schedule', orders, orderOf({ strategy: { schedule: '' } }), 'spec.strategy.schedule'],
    ['duration', orders, orderOf({}, { duration: 'a day' }), 'spec.template.spec.duration'],
    ['negative duration', orders, orderOf({}, { window: { duration: '-1h' } }), 'spec.template.spec.window.duration'],
    ['start', orders, orderOf({}, { startTime: 'soon' }), 'spec.template.spec.startTime'],
    ['template', orders, { ...orderOf(), spec: {} } as KubeObject, 'spec.template'],
    ['ttl', tickets, ticketOf({ ttlSecondsAfterFinished: -1 }), 'spec.ttlSecondsAfterFinished'],
    ['cleanup', tickets, ticketOf({ lifecycle: { cleanupPolicy: 'Keep' } }), 'spec.lifecycle.cleanupPolicy'],
    ['name', tickets, ticketOf({}, { name: 'a'.repeat(64) }), 'metadata.name'],
    ['scope', quotas, quotaOf({ scope: { type: 'Galaxy' } }), 'spec.scope.type'],
    ['hard', quotas, { ...quotaOf(), spec: {} } as KubeObject, 'spec.hard'],
    [
      'multiplier',
      quotas,
      quotaOf({ timeWindows: [{ name: 'a', schedule: '@daily', multiplier: 'x' }] }),
      'spec.timeWindows[0].multiplier',
    ],
    ['repeated window', quotas, quotaOf({ timeWindows: [{ name: 'a' }, { name: 'a' }] }), 'spec.timeWindows[1]'],
  ])('keep a wrong %s out', (_, kind, object, path) => {
    // An API server adds that rules were left out, and a custom `scale` its own finding.
    expect(findings(kind, object)[0]).toMatch(new RegExp(`^${path.replace(/[.[\]]/g, '\\$&')}: `));
  });

  it('let durations of every unit in', () => {
    for (const duration of ['24h', '1h30m', '1.5h', '90s', '2m0.5s', '+3h', '1500ms']) {
      expect(findings(tickets, ticketOf({ duration }))).toEqual([]);
    }
  });

  it('count the whole cluster for a Quota that does not say what', () => {
    const scopeOf = (spec: object) =>
      (quotas.strategy.defaults(quotaOf(spec)) as ReturnType<typeof quotaOf>).spec.scope;
    expect(scopeOf({})).toEqual({ type: 'Cluster' });
    expect(scopeOf({ scope: {} })).toEqual({ type: 'Cluster' });
  });

  it('scale Orders, but not those for every node', () => {
    expect(orders.custom?.scale).toEqual({
      specReplicas: ['spec', 'replicas'],
      statusReplicas: ['status', 'replicas'],
      labelSelector: ['status', 'selector'],
    });
    const everywhere = (more: object) => orderOf({ daemonSet: true, ...more });
    expect(changeFindings(orders, orderOf({ replicas: 3 }), orderOf({ replicas: 1 }))).toEqual([]);
    const refused =
      /^spec\.replicas: Invalid value: an Order with daemonSet has one Ticket per eligible node and cannot be scaled; remove replicas$/;
    expect(changeFindings(orders, everywhere({ replicas: 3 }), everywhere({}))).toEqual([
      expect.stringMatching(refused),
    ]);
    expect(changeFindings(orders, everywhere({ replicas: 3 }), everywhere({ replicas: 2 }))).toHaveLength(1);
    // Replicas that are there already, or go, are no scaling.
    expect(findings(orders, everywhere({ replicas: 3 }))).toEqual([]);
    expect(changeFindings(orders, everywhere({ replicas: 3, paused: true }), everywhere({ replicas: 3 }))).toEqual([]);
    expect(changeFindings(orders, everywhere({}), everywhere({ replicas: 3 }))).toEqual([]);
  });

  it('have bounds only of fields that there are', () => {
    for (const [type, fields] of Object.entries(RESERVATION_BOUNDS)) {
      const known = findTypeSchema(`korder/v1alpha1.${type}`)?.byName;
      expect(Object.keys(fields).filter((name) => known?.has(name) !== true)).toEqual([]);
    }
  });
});
