/**
 * Sequences of requests about one object, drawn from a seed as plain data, so that they can be replayed and made smaller.
 * `$name`, `$ns`, `$uid`, `$rv` and `$stale` are filled in when a request is sent, for each server with its own.
 */
import type { KindDefinition } from '../../../src/core/api/kind/kind-definition.ts';
import { createRegistry } from '../../../src/core/api/registry/registry.ts';
import type { Json } from '../../../src/core/kube/json.ts';
import { chanceOf, type Chance } from './api-chance.ts';
import { CUSTOM_KINDS, CUSTOM_RESOURCES } from './api-custom.ts';
import { drawEdit, edited, type Edit } from './api-edits.ts';
import { KINDS, type KindOfCase, type Manifest } from './api-manifests.ts';
import { drawPatch } from './api-patches.ts';
import type { Members } from './api-values.ts';

interface Target {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly subresources: readonly string[];
  /** Absent for custom kinds. */
  readonly schema?: string;
}

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly on: 'collection' | 'object';
  readonly subresource?: string;
  readonly query?: { readonly [name: string]: string };
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: Json;
  /** The body is what was last read of the object, with these edits. */
  readonly edits?: readonly Edit[];
  /** A key that is written twice, if the body has it. */
  readonly twice?: string;
}

export interface Sequence {
  readonly name: string;
  readonly target: Target;
  /** What the object is called: most are `$name`, some kinds want more. */
  readonly objectName: string;
  readonly operations: readonly Operation[];
}

const registry = createRegistry();

function targetOf({ group, kind, version }: KindOfCase): Target {
  const custom = CUSTOM_RESOURCES.find((one) => one.kind === kind);
  if (custom !== undefined) return { group, version, ...custom };
  const found: KindDefinition | undefined = registry.byKind(group, version, kind);
  if (found === undefined) throw new Error(`no kind ${group}/${version} ${kind}`);
  const { namespaced, resource, schema } = found;
  return {
    group,
    version,
    kind,
    resource,
    namespaced,
    schema,
    subresources: found.subresources.map(({ name }) => name),
  };
}

/** A sequence that somebody wrote down. */
export function givenSequence(name: string, example: Example): Sequence {
  const { kind, version } = example;
  const found = [...KINDS, ...CUSTOM_KINDS].find(
    (one) => one.kind === kind && (version === undefined || one.version === version),
  );
  if (found === undefined) throw new Error(`no kind ${kind}`);
  const own = (found.bodies[0]?.['metadata'] ?? {}) as Manifest;
  const objectName = (own['name'] as string | undefined) ?? '$name';
  return { name, target: targetOf(found), objectName, operations: example.operations };
}

/** Requests about one object of a kind. */
export interface Example {
  readonly kind: string;
  readonly version?: string;
  readonly operations: readonly Operation[];
}

const ALL: readonly (readonly [number, KindOfCase])[] = [...KINDS, ...CUSTOM_KINDS].map((one) => [
  one.weight ?? 2,
  one,
]);

export function drawSequence(name: string): Sequence {
  const chance = chanceOf(name);
  const kind = chance.weighted(ALL);
  const target = targetOf(kind);
  const body = chance.pick(kind.bodies);
  const apiVersion = target.group === '' ? target.version : `${target.group}/${target.version}`;
  const own = (body['metadata'] ?? {}) as Manifest;
  const objectName = (own['name'] as string | undefined) ?? '$name';
  const plain: Manifest = {
    apiVersion,
    kind: target.kind,
    ...body,
    metadata: {
      name: objectName,
      ...(target.namespaced ? { namespace: '$ns' } : {}),
      labels: { case: '$name' },
      ...(chance.happens(30) ? { annotations: { note: 'hi' } } : {}),
      ...own,
    },
  };
  const draw: Draw = { chance, target, plain, objectName };
  const operations: Operation[] = [];
  if (chance.happens(65)) operations.push(create(draw, spoilt(draw)));
  if (chance.happens(12)) operations.push(drawApply(draw));
  operations.push(create(draw, plain));
  for (let left = 2 + chance.upTo(6); left > 0; left--) operations.push(...next(draw));
  return { name, target, objectName, operations: operations.slice(0, 12) };
}

interface Draw {
  readonly chance: Chance;
  readonly target: Target;
  readonly plain: Manifest;
  readonly objectName: string;
}

const spoilt = ({ chance, plain, target }: Draw): Json => {
  let object: Json = plain;
  for (let left = 1 + chance.upTo(3); left > 0; left--)
    object = edited(object, [drawEdit(target.schema, object, chance)]);
  return object;
};

const MANAGERS = ['alpha', 'beta', 'kubectl'];

function writeQuery(chance: Chance): { readonly [name: string]: string } {
  return {
    ...(chance.happens(35) ? { fieldManager: chance.pick(MANAGERS) } : {}),
    ...(chance.happens(45)
      ? {
          fieldValidation: chance.weighted([
            [4, 'Strict'],
            [2, 'Warn'],
            [2, 'Ignore'],
            [1, 'Bogus'],
            [0, ''],
          ]),
        }
      : {}),
    ...(chance.happens(6)
      ? {
          dryRun: chance.weighted([
            [8, 'All'],
            [1, 'all'],
          ]),
        }
      : {}),
    ...(chance.happens(2) ? { fieldManager: chance.pick(['', 'x'.repeat(129), 'a\u0007']) } : {}),
  };
}

function create({ chance, target }: Draw, object: Json): Operation {
  const generated = chance.happens(4)
    ? edited(object, [
        { path: ['metadata', 'name'] },
        { path: ['metadata', 'generateName'], value: '$name-' },
        // Among others it would stand anywhere.
        { path: ['metadata', 'labels', 'case'], value: 'generated' },
      ])
    : object;
  return {
    method: 'POST',
    on: 'collection',
    body: generated,
    query: writeQuery(chance),
    ...(target.group === '' && chance.happens(10) ? { contentType: 'application/yaml' } : {}),
    ...(chance.happens(5) ? { twice: chance.pick(['name', 'spec', 'labels', 'image', 'metadata', 'kind']) } : {}),
  };
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

function next(draw: Draw): readonly Operation[] {
  const { chance, target } = draw;
  const has = (name: string): boolean => target.subresources.includes(name);
  return chance.weighted<() => readonly Operation[]>([
    [20, () => [update(draw, '')]],
    [12, () => [drawPatchOf(draw, 'json')]],
    [14, () => [drawPatchOf(draw, 'merge')]],
    [16, () => [drawPatchOf(draw, 'strategic')]],
    [18, () => [drawApply(draw)]],
    [has('status') ? 14 : 0, () => [statusWrite(draw)]],
    [has('scale') ? 6 : 0, () => [scaleWrite(draw)]],
    [target.kind === 'Pod' ? 14 : 0, () => [podSubresource(draw)]],
    [has('token') ? 8 : 0, () => [tokenRequest(draw)]],
    [4, () => [create(draw, draw.plain)]],
    [6, () => [remove(draw)]],
    [
      2,
      () => [
        {
          method: 'DELETE',
          on: 'collection',
          query: { labelSelector: 'case=$name', ...(chance.happens(30) ? { dryRun: 'All' } : {}) },
        },
      ],
    ],
    [10, () => lists(draw)],
    [
      4,
      () => [
        {
          method: 'GET',
          on: 'object',
          accept: chance.pick([TABLE, METADATA, `${TABLE},application/json`, 'application/json', 'text/html']),
        },
      ],
    ],
    [1, () => [{ method: 'GET', on: 'object', subresource: chance.pick(['status', 'scale', 'bogus']) }]],
  ])();
}

function update(draw: Draw, subresource: string): Operation {
  const { chance, target } = draw;
  const edits: Edit[] = [];
  for (let left = 1 + chance.upTo(2); left > 0; left--)
    edits.push(drawEdit(target.schema, edited(draw.plain, edits), chance, { wrong: 5, unknown: 3, metadata: 20 }));
  edits.push(
    ...chance.weighted<readonly Edit[]>([
      [12, []],
      [4, [{ path: ['metadata', 'resourceVersion'] }]],
      [2, [{ path: ['metadata', 'resourceVersion'], value: '$stale' }]],
      [1, [{ path: ['metadata', 'resourceVersion'], value: '0' }]],
      [1, [{ path: ['metadata', 'resourceVersion'], value: 'x' }]],
      [1, [{ path: ['metadata', 'uid'], value: 'b9f7d6f2-54d1-4ac4-9a0e-4f2b1b9d7a11' }]],
      [1, [{ path: ['metadata', 'managedFields'], value: [] }]],
      [1, [{ path: ['metadata', 'managedFields'] }]],
      [1, [{ path: ['metadata', 'name'], value: 'other' }]],
      [1, [{ path: ['metadata', 'finalizers'], value: ['example.com/mine'] }]],
    ]),
  );
  return {
    method: 'PUT',
    on: 'object',
    ...(subresource === '' ? {} : { subresource }),
    edits,
    query: writeQuery(chance),
  };
}

function drawPatchOf(
  draw: Draw,
  type: 'json' | 'merge' | 'strategic',
  below?: string,
  subresource?: string,
): Operation {
  const { chance, plain, target } = draw;
  const { body, contentType } = drawPatch(type, target.schema, plain, chance, below);
  return {
    method: 'PATCH',
    on: 'object',
    body,
    contentType,
    query: writeQuery(chance),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

/** Some of the manifest, with a change or without, by one manager or another. */
function drawApply(draw: Draw, below?: string, subresource?: string): Operation {
  const { chance, plain, target } = draw;
  const thinned = below === undefined ? thin(plain, chance, 0) : thinStatus(plain, chance);
  const edits = chance.happens(50)
    ? [
        drawEdit(target.schema, thinned, chance, {
          wrong: 4,
          unknown: 4,
          metadata: 15,
          ...(below === undefined ? {} : { below }),
        }),
      ]
    : [];
  const { dryRun, fieldValidation } = writeQuery(chance);
  return {
    method: 'PATCH',
    on: 'object',
    ...(subresource === undefined ? {} : { subresource }),
    contentType: chance.happens(90) ? 'application/apply-patch+yaml' : 'application/apply-patch',
    body: edited(thinned, edits),
    query: {
      ...(chance.happens(97) ? { fieldManager: chance.pick(MANAGERS) } : {}),
      ...(chance.happens(40) ? { force: chance.pick(['true', 'true', 'false']) } : {}),
      ...(dryRun === undefined ? {} : { dryRun }),
      ...(fieldValidation === undefined ? {} : { fieldValidation }),
    },
  };
}

const thinStatus = ({ apiVersion, kind, metadata, status }: Manifest, _chance: Chance): Json => ({
  apiVersion,
  kind,
  metadata: { name: (metadata as Manifest)['name'] ?? '' },
  status: status ?? {},
});

/** Without some of its members; what names it stays. */
function thin(value: Json, chance: Chance, depth: number): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const result: Members = {};
  for (const [key, member] of Object.entries(value as Members)) {
    const stays = depth === 0 || key === 'name' || key === 'namespace' || chance.happens(depth > 2 ? 95 : 85);
    if (stays) result[key] = thin(member, chance, depth + 1);
  }
  // Nothing is left empty that was not.
  return Object.keys(result).length === 0 ? value : result;
}

function statusWrite(draw: Draw): Operation {
  const { chance, target } = draw;
  if (target.schema === undefined) {
    const [edit] = statusEdits(draw);
    if (chance.happens(50) || edit === undefined) return { ...update(draw, 'status'), edits: statusEdits(draw) };
    const contentType = 'application/merge-patch+json';
    const body = edited({}, [edit]);
    return { method: 'PATCH', on: 'object', subresource: 'status', contentType, body, query: writeQuery(chance) };
  }
  return chance.weighted<() => Operation>([
    [4, () => ({ ...update(draw, 'status'), edits: statusEdits(draw) })],
    [3, () => drawPatchOf(draw, chance.pick(['merge', 'strategic', 'json']), 'status', 'status')],
    [2, () => drawApply(draw, 'status', 'status')],
    [target.schema === undefined ? 0 : 1, () => update(draw, 'status')],
  ])();
}

function statusEdits({ chance, plain, target }: Draw): readonly Edit[] {
  if (target.schema === undefined) {
    return [
      { path: ['status', chance.pick(['size', 'phase', 'other'])], value: chance.pick<Json>([1, -1, 'x', null, {}]) },
    ];
  }
  const edits: Edit[] = [];
  let object = edited(plain, [{ path: ['status'], value: plain['status'] ?? {} }]);
  for (let left = 1 + chance.upTo(3); left > 0; left--) {
    const edit = drawEdit(target.schema, object, chance, { below: 'status', wrong: 4, unknown: 3 });
    object = edited(object, [edit]);
    edits.push(edit);
  }
  if (chance.happens(15)) edits.push({ path: ['metadata', 'labels', 'late'], value: 'x' });
  return edits;
}

function scaleWrite({ chance, target, objectName }: Draw): Operation {
  const replicas = chance.pick<Json>([0, 1, 3, -1, 101, 2_147_483_647, '3', null]);
  if (chance.happens(50))
    return {
      method: 'PATCH',
      on: 'object',
      subresource: 'scale',
      contentType: chance.pick(['application/merge-patch+json', 'application/strategic-merge-patch+json']),
      body: { spec: { replicas } },
      query: writeQuery(chance),
    };
  const rv = chance.pick(['$rv', '', '$stale', '$rv']);
  const metadata: Members = {
    name: chance.happens(95) ? objectName : 'other',
    ...(target.namespaced ? { namespace: '$ns' } : {}),
    ...(rv === '' ? {} : { resourceVersion: rv }),
  };
  return {
    method: 'PUT',
    on: 'object',
    subresource: 'scale',
    body: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas } },
    query: writeQuery(chance),
  };
}

function podSubresource(draw: Draw): Operation {
  const { chance } = draw;
  const query = writeQuery(chance);
  return chance.weighted<() => Operation>([
    [
      3,
      () => ({
        method: 'POST',
        on: 'object',
        subresource: 'binding',
        query,
        body: {
          apiVersion: 'v1',
          kind: 'Binding',
          metadata: {
            name: chance.pick(['$name', '$name', 'other']),
            ...(chance.happens(20) ? { annotations: { bound: 'x' } } : {}),
          },
          target: chance.pick<Json>([
            { kind: 'Node', name: 'node-1' },
            { name: 'node-1' },
            { kind: 'Pod', name: 'x' },
            { kind: 'Node' },
            { kind: 'Node', name: 'node-2', apiVersion: 'v1' },
          ]),
        },
      }),
    ],
    [
      3,
      () => ({
        method: 'POST',
        on: 'object',
        subresource: 'eviction',
        query,
        body: {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name: chance.pick(['$name', '$name', 'other']), namespace: '$ns' },
          ...(chance.happens(60)
            ? {
                deleteOptions: chance.pick<Json>([
                  { gracePeriodSeconds: 0 },
                  { preconditions: { uid: 'x' } },
                  { dryRun: ['All'] },
                  { gracePeriodSeconds: 5, preconditions: { resourceVersion: '$rv' } },
                ]),
              }
            : {}),
        },
      }),
    ],
    [
      4,
      () => ({
        method: 'PATCH',
        on: 'object',
        subresource: 'ephemeralcontainers',
        query,
        contentType: 'application/strategic-merge-patch+json',
        body: {
          spec: {
            ephemeralContainers: [
              chance.pick<Json>([
                { name: 'debug', image: 'i' },
                { name: 'debug', image: 'other' },
                { name: 'c', image: 'i' },
                { name: 'debug2', image: 'i', targetContainerName: 'c' },
                { name: 'e', image: 'i', targetContainerName: 'none' },
                { name: 'f', image: 'i', ports: [{ containerPort: 80 }] },
                { name: 'g' },
                { name: 'h', image: 'i', resources: { limits: { cpu: '1' } } },
              ]),
            ],
          },
        },
      }),
    ],
    [
      4,
      () => ({
        method: 'PATCH',
        on: 'object',
        subresource: 'resize',
        query,
        contentType: 'application/strategic-merge-patch+json',
        body: {
          spec: {
            containers: [
              chance.pick<Json>([
                { name: 'c', resources: { requests: { cpu: '1' } } },
                { name: 'main', resources: { requests: { cpu: '200m' } } },
                { name: 'main', resources: { limits: { memory: '64Mi' } } },
                { name: 'main', resources: { limits: null } },
                { name: 'main', image: 'other' },
                { name: 'new', image: 'x' },
                { name: 'main', resources: { limits: { 'example.com/gpu': '2' } } },
              ]),
            ],
          },
        },
      }),
    ],
  ])();
}

function tokenRequest({ chance }: Draw): Operation {
  const spec = chance.pick<Json>([
    {},
    { audiences: ['a'] },
    { expirationSeconds: 600 },
    { expirationSeconds: 5 },
    { expirationSeconds: 5_000_000_000 },
    { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } },
    { boundObjectRef: { kind: 'Service', apiVersion: 'v1', name: 'none' } },
  ]);
  return {
    method: 'POST',
    on: 'object',
    subresource: 'token',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec },
    query: writeQuery(chance),
  };
}

function remove({ chance }: Draw): Operation {
  const options = chance.pick<Json | undefined>([
    undefined,
    {},
    { gracePeriodSeconds: 0 },
    { gracePeriodSeconds: 30 },
    { gracePeriodSeconds: -1 },
    { propagationPolicy: 'Foreground' },
    { propagationPolicy: 'Orphan' },
    { propagationPolicy: 'Background' },
    { propagationPolicy: 'Bogus' },
    { orphanDependents: true },
    { orphanDependents: true, propagationPolicy: 'Background' },
    { preconditions: { uid: '$uid' } },
    { preconditions: { uid: 'b9f7d6f2-54d1-4ac4-9a0e-4f2b1b9d7a11' } },
    { preconditions: { resourceVersion: '$rv' } },
    { preconditions: { resourceVersion: '$stale' } },
    { dryRun: ['All'] },
    { dryRun: ['x'] },
    { unknownField: 1 },
    { gracePeriodSeconds: 'x' },
    { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 1 },
  ]);
  const query = chance.pick<{ readonly [name: string]: string }>([
    {},
    {},
    {},
    { gracePeriodSeconds: '0' },
    { propagationPolicy: 'Foreground' },
    { dryRun: 'All' },
    { gracePeriodSeconds: 'x' },
  ]);
  return { method: 'DELETE', on: 'object', query, ...(options === undefined ? {} : { body: options }) };
}

/** Three objects and how they are listed. */
function lists({ chance, plain }: Draw): readonly Operation[] {
  const named = (suffix: string): Operation => ({
    method: 'POST',
    on: 'collection',
    body: edited(plain, [
      { path: ['metadata', 'name'], value: `$name-${suffix}` },
      { path: ['metadata', 'labels', 'which'], value: suffix },
    ]),
  });
  const accept = chance.pick(['', '', TABLE, METADATA_LIST]);
  const query = chance.pick<{ readonly [name: string]: string }>([
    { labelSelector: 'case=$name' },
    { labelSelector: 'case=$name', limit: '1' },
    { labelSelector: 'case=$name,which in (a,c)' },
    { labelSelector: 'case=$name,!which' },
    { labelSelector: 'case=$name,which notin (a)' },
    { labelSelector: 'case==$name,which!=b', limit: '2' },
    { labelSelector: 'case in' },
    { fieldSelector: 'metadata.name=$name' },
    { fieldSelector: 'metadata.name!=$name', labelSelector: 'case=$name' },
    { fieldSelector: 'bogus=1' },
    { fieldSelector: 'spec.nodeName=', labelSelector: 'case=$name' },
    { labelSelector: 'case=$name', resourceVersion: '0', resourceVersionMatch: 'NotOlderThan' },
    { labelSelector: 'case=$name', resourceVersion: 'x' },
    { labelSelector: 'case=$name', resourceVersionMatch: 'Exact' },
    { labelSelector: 'case=$name', limit: 'x' },
    { continue: 'bogus', limit: '1' },
  ]);
  return [
    ...(chance.happens(60) ? [named('a'), named('b')] : []),
    { method: 'GET', on: 'collection', query, ...(accept === '' ? {} : { accept }) },
  ];
}
