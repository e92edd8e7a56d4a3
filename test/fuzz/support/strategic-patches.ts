/** Pods, in a few of their fields, and strategic merge patches to them with every directive there is. */
import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/core/kube/json.ts';

/** What the model needs to know of a place. Lists that are not described are replaced. */
export type Place =
  | { readonly type: 'map'; readonly members: { readonly [name: string]: Place } }
  | { readonly type: 'list'; readonly key: string; readonly item: Place }
  | { readonly type: 'set' };

const map = (members: { readonly [name: string]: Place } = {}): Place => ({ type: 'map', members });
const list = (key: string, members: { readonly [name: string]: Place } = {}): Place => ({
  type: 'list',
  key,
  item: map(members),
});

export const POD_PLACE = map({
  metadata: map({ labels: map(), finalizers: { type: 'set' }, ownerReferences: list('uid') }),
  spec: map({
    nodeSelector: map(),
    securityContext: map(),
    containers: list('name', { env: list('name'), ports: list('containerPort'), resources: map({ limits: map() }) }),
    volumes: list('name', { emptyDir: map(), configMap: map() }),
    imagePullSecrets: list('name'),
  }),
});

const NAMES = ['a', 'b', 'c', 'd'];
const name = fc.constantFrom(...NAMES);
const text = fc.constantFrom('1', '2', '');
const some = (model: { readonly [key: string]: fc.Arbitrary<Json> }): fc.Arbitrary<JsonObject> =>
  fc.record(model, { requiredKeys: [] });
const texts = fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), text, { maxKeys: 3, noNullPrototype: true });
const strings = fc.uniqueArray(name, { maxLength: 4 });

type Fields = { readonly [key: string]: fc.Arbitrary<Json> };

/** Builds either objects or patches of the same fields. */
interface Kit {
  fields(model: Fields): fc.Arbitrary<JsonObject>;
  items(key: string, keys: fc.Arbitrary<Json>, model: Fields): (listName: string) => fc.Arbitrary<JsonObject>;
  set(listName: string): fc.Arbitrary<JsonObject>;
  map(): fc.Arbitrary<JsonObject>;
}

const merged = (...parts: fc.Arbitrary<JsonObject>[]): fc.Arbitrary<JsonObject> =>
  fc.tuple(...parts).map((members) => Object.assign({}, ...members) as JsonObject);

const withKey = (key: string, keys: fc.Arbitrary<Json>, item: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject[]> =>
  fc.uniqueArray(
    fc.tuple(keys, item).map(([value, members]) => ({ ...members, [key]: value })),
    { maxLength: 4, selector: (each) => each[key] },
  );

const objects: Kit = {
  fields: some,
  items: (key, keys, model) => (listName) => some({ [listName]: withKey(key, keys, some(model)) }),
  set: (listName) => some({ [listName]: strings }),
  map: () => texts,
};

const orNull = (each: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.oneof({ weight: 5, arbitrary: each }, fc.constant(null));
const directive = (weight: number): fc.Arbitrary<JsonObject> =>
  fc.oneof(
    { weight, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constant({ $patch: 'replace' }) },
    { weight: 1, arbitrary: fc.constant({ $patch: 'delete' }) },
  );

const patches: Kit = {
  fields: (model) =>
    merged(directive(30), some(Object.fromEntries(Object.entries(model).map(([key, each]) => [key, orNull(each)])))),
  items: (key, keys, model) => (listName) => {
    const item = merged(
      fc.oneof({ weight: 6, arbitrary: fc.constant({}) }, fc.constant({ $patch: 'delete' })),
      some(Object.fromEntries(Object.entries(model).map(([member, each]) => [member, orNull(each)]))),
    );
    const given = withKey(key, keys, item);
    const orders = fc.uniqueArray(keys, { maxLength: 4 }).map((all) => all.map((value) => ({ [key]: value })));
    return fc
      .tuple(fc.option(given, { freq: 6 }), fc.option(orders, { freq: 4 }), fc.integer({ min: 0, max: 9 }))
      .map(([changes, asked, luck]) => {
        const items = changes ?? [];
        // Mostly an order that agrees with the list, as kubectl sends it.
        const own = items.filter((each) => each['$patch'] === undefined).map((each) => ({ [key]: each[key] ?? null }));
        const others = (asked ?? []).filter((each) => !own.some((mine) => mine[key] === each[key]));
        const order = luck > 1 ? [...own, ...others] : (asked ?? []);
        // Upstream stumbles over orders of nothing, and takes replacing and ordering at once for a contradiction.
        const isOrdered = asked !== null && order.length > 0 && items.length !== 0;
        return {
          ...(isOrdered ? { [`$setElementOrder/${listName}`]: order } : {}),
          ...(changes === null
            ? {}
            : { [listName]: luck === 9 && !isOrdered ? [...items, { $patch: 'replace' }] : items }),
        };
      });
  },
  // What is added and deleted at once is one or the other upstream, as it happens.
  set: (listName) =>
    fc.tuple(some({ [listName]: orNull(strings) }), fc.option(strings, { freq: 3 })).map(([given, gone]) => {
      const added = (given[listName] ?? []) as readonly string[];
      return gone === null
        ? given
        : { ...given, [`$deleteFromPrimitiveList/${listName}`]: gone.filter((each) => !added.includes(each)) };
    }),
  map: () =>
    merged(
      directive(12),
      fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), orNull(text), { maxKeys: 3, noNullPrototype: true }),
    ),
};

const retained = fc
  .tuple(fc.constantFrom('emptyDir', 'configMap'), fc.boolean())
  .map(([kept, gone]) => ({ $retainKeys: ['name', kept], [kept]: { x: '1' }, ...(gone ? { other: null } : {}) }));

function pod(kit: Kit, isPatch: boolean): fc.Arbitrary<JsonObject> {
  const env = kit.items('name', name, { value: text });
  const ports = kit.items('containerPort', fc.integer({ min: 1, max: 3 }), {
    hostPort: fc.integer({ min: 1, max: 2 }),
  });
  const container = {
    image: text,
    command: strings as fc.Arbitrary<Json>,
    resources: kit.fields({ limits: kit.map() }),
  };
  const containers = (listName: string): fc.Arbitrary<JsonObject> =>
    kit
      .items('name', name, { ...container, ['spread']: merged(env('env'), ports('ports')) })(listName)
      .map(spread);
  const volumes = kit.items('name', name, {
    ...{ emptyDir: kit.map(), configMap: kit.map() },
    ...(isPatch ? { spread: retained } : {}),
  });
  const spec = merged(
    kit.fields({ nodeName: text, nodeSelector: kit.map(), tolerations: fc.array(texts, { maxLength: 2 }) }),
    containers('containers'),
    volumes('volumes').map(spread),
    kit.items('name', name, {})('imagePullSecrets'),
  );
  const metadata = merged(
    kit.fields({ labels: kit.map() }),
    kit.set('finalizers'),
    kit.items('uid', name, { kind: text })('ownerReferences'),
  );
  return some({ metadata, spec });
}

/** Items that were drawn with a member `spread` have its members instead. */
const spread = (holder: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(holder).map(([key, each]) => {
      if (!Array.isArray(each) || key.startsWith('$')) return [key, each];
      const items = (each as readonly JsonObject[]).map(({ spread: more, ...item }) =>
        typeof more === 'object' && more !== null ? { ...item, ...(more as JsonObject) } : item,
      );
      return [key, items];
    }),
  );

export const podObject = pod(objects, false);
export const podPatch = pod(patches, true);
