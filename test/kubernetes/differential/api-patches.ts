/** Patches of a manifest: the same changes told in each of the ways there are, and what only one of them can say. */
import { typeSchema } from '../../../src/core/api/schema/type-schema.ts';
import type { TypeExpression } from '../../../src/core/api/schema/parse-facts.ts';
import type { Json } from '../../../src/core/kube/json.ts';
import type { Chance } from './api-chance.ts';
import { drawEdit, type Edit, type Step } from './api-edits.ts';
import type { Manifest } from './api-manifests.ts';
import type { Members } from './api-values.ts';

export type PatchType = 'json' | 'merge' | 'strategic';

const CONTENT_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const satisfies { readonly [type in PatchType]: string };

export function drawPatch(
  type: PatchType,
  schema: string | undefined,
  object: Manifest,
  chance: Chance,
  below?: string,
): { readonly body: Json; readonly contentType: string } {
  const base = below === undefined || object[below] !== undefined ? object : { ...object, [below]: {} };
  const edits: Edit[] = [];
  for (let left = 1 + chance.upTo(2); left > 0; left--)
    edits.push(
      drawEdit(schema, base, chance, { wrong: 5, unknown: 4, metadata: 15, ...(below === undefined ? {} : { below }) }),
    );
  const body =
    type === 'json'
      ? jsonPatch(edits, base, chance)
      : type === 'merge'
        ? mergePatch(edits, base)
        : strategicPatch(edits, base, schema, chance);
  return { body, contentType: CONTENT_TYPES[type] };
}

const pointer = (path: readonly Step[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

function jsonPatch(edits: readonly Edit[], object: Json, chance: Chance): Json {
  const steps: Json[] = edits.flatMap(({ path, value }): Json[] => {
    const last = path.at(-1);
    // Beyond the end of the list: at its end.
    const at = pointer(
      typeof last === 'number' && last >= 1000 ? [...path.slice(0, -1), chance.pick<Step>(['-', 0, 999])] : path,
    );
    if (value === undefined) return [{ op: 'remove', path: at }];
    return [{ op: read(object, path) === undefined || chance.happens(50) ? 'add' : 'replace', path: at, value }];
  });
  if (chance.happens(25))
    steps.splice(
      chance.upTo(steps.length + 1),
      0,
      chance.pick<Json>([
        { op: 'test', path: '/metadata/name', value: '$name' },
        { op: 'test', path: '/metadata/name', value: 'other' },
        { op: 'test', path: '/spec', value: null },
        { op: 'copy', from: '/metadata/labels', path: '/metadata/annotations' },
        { op: 'move', from: '/metadata/labels/case', path: '/metadata/labels/moved' },
        { op: 'move', from: '/nothing', path: '/x' },
        { op: 'remove', path: '/metadata/nothing' },
        { op: 'replace', path: '/nothing', value: 1 },
        { op: 'bogus', path: '/x' },
        { op: 'add', path: 'no-slash', value: 1 },
        { op: 'add', path: '/metadata/labels/a~1b', value: 'x' },
        { op: 'add', path: '/metadata/deep/er', value: 'x' },
        { path: '/x' },
        5,
      ]),
    );
  return steps;
}

const read = (value: Json, path: readonly Step[]): Json | undefined => {
  let found: Json | undefined = value;
  for (const step of path) found = (found as Members | undefined)?.[step];
  return found;
};

/** Lists are told whole. */
function mergePatch(edits: readonly Edit[], object: Json): Json {
  const patch: Members = {};
  for (const { path, value } of edits) {
    const inList = path.findIndex((step) => typeof step === 'number');
    const at = inList < 0 ? path : path.slice(0, inList);
    let node = patch;
    for (const step of at.slice(0, -1)) {
      const inner = node[step];
      node = node[step] =
        typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? { ...(inner as Members) } : {};
    }
    const whole =
      inList < 0
        ? (value ?? null)
        : [...((read(object, at) ?? []) as readonly Json[]), ...(value === undefined ? [] : [value])];
    node[at.at(-1) ?? 'spec'] = whole;
  }
  return patch;
}

function strategicPatch(edits: readonly Edit[], object: Manifest, schema: string | undefined, chance: Chance): Json {
  if (schema === undefined) return mergePatch(edits, object);
  let patch: Json = {};
  for (const { path, value } of edits)
    patch = tell(patch, { kind: 'object', name: schema }, path, value, object, chance, undefined);
  return chance.happens(25) ? withDirective(patch, schema, object, chance) : patch;
}

/** The change said inside a patch, items of lists named by their merge keys. */
function tell(
  patch: Json | undefined,
  type: TypeExpression,
  path: readonly Step[],
  value: Json | undefined,
  found: Json | undefined,
  chance: Chance,
  mergeKey: string | undefined,
): Json {
  const [step, ...rest] = path;
  if (step === undefined) return value ?? null;
  if (type.kind === 'list' && typeof step === 'number') {
    const items = (found ?? []) as readonly Json[];
    const item = items[step];
    if (mergeKey === undefined || typeof item !== 'object' || item === null)
      return rest.length === 0 && value !== undefined ? [value] : [...(items.length > 3 ? items.slice(0, 3) : items)];
    const name = { [mergeKey]: (item as Members)[mergeKey] ?? 'x' };
    if (rest.length === 0) return value === undefined ? [{ $patch: 'delete', ...name }] : [value];
    const inner = tell({}, type.element, rest, value, item, chance, undefined);
    return [
      typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? { ...name, ...(inner as Members) } : inner,
    ];
  }
  const members: Members =
    typeof patch === 'object' && patch !== null && !Array.isArray(patch) ? { ...(patch as Members) } : {};
  const field = type.kind === 'object' ? typeSchema(type.name).byName.get(String(step)) : undefined;
  const inner = type.kind === 'map' ? type.value : (field?.type ?? { kind: 'scalar', scalar: 'json' });
  const merged = field?.patchStrategies.includes('merge') === true ? field.patchMergeKey : undefined;
  const below =
    typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as Members)[step] : undefined;
  members[step] = tell(members[step], inner, rest, value, below, chance, merged);
  return members;
}

/** What only strategic patches say. */
function withDirective(patch: Json, schema: string, object: Manifest, chance: Chance): Json {
  const isWorkload = typeSchema(schema).byName.has('spec') && JSON.stringify(object).includes('"containers"');
  const pods = isWorkload ? podSpecPath(object) : undefined;
  const general: Json[] = [
    { metadata: { finalizers: ['example.com/a'], '$setElementOrder/finalizers': ['example.com/a'] } },
    { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'] } },
    { metadata: { labels: { $patch: 'replace', only: 'this' } } },
    { metadata: { labels: { $patch: 'delete' } } },
    { metadata: { labels: { $retainKeys: ['case'], case: '$name' } } },
    { spec: { $patch: 'replace' } },
    { metadata: { $patch: 'bogus' } },
    { metadata: { ownerReferences: [{ $patch: 'delete', uid: 'x' }] } },
    { $patch: 'delete' },
    { metadata: { annotations: { $retainKeys: ['note'], other: 'x' } } },
  ];
  const ofPods: Json[] = [
    { containers: [{ name: 'main', $patch: 'delete' }] },
    {
      containers: [{ name: 'new', image: 'x' }],
      '$setElementOrder/containers': [{ name: 'new' }, { name: 'main' }, { name: 'c' }],
    },
    { containers: [{ $patch: 'replace' }, { name: 'only', image: 'x' }] },
    {
      containers: [
        {
          name: 'main',
          env: [
            { name: 'KEY', $patch: 'delete' },
            { name: 'PLAIN', value: 'y' },
          ],
          '$setElementOrder/env': [{ name: 'NODE' }, { name: 'PLAIN' }],
        },
      ],
    },
    {
      containers: [
        {
          name: 'main',
          ports: [
            { containerPort: 8080, name: 'other' },
            { containerPort: 8080, protocol: 'UDP' },
          ],
        },
      ],
    },
    { containers: [{ image: 'no-name' }] },
    { volumes: [{ name: 'empty', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x' } }] },
    { volumes: [{ name: 'empty', hostPath: { path: '/x' } }] },
    { volumes: [{ name: 'empty', emptyDir: null }] },
    { tolerations: [{ key: 'new', operator: 'Exists' }] },
    { imagePullSecrets: [{ name: 'more' }], '$setElementOrder/imagePullSecrets': [{ name: 'more' }] },
    { '$setElementOrder/containers': [{ name: 'x' }, { name: 'main' }] },
    {
      hostAliases: [
        { ip: '10.0.0.1', hostnames: ['c'] },
        { ip: '10.0.0.9', hostnames: ['d'] },
      ],
    },
    { topologySpreadConstraints: [{ topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 3 }] },
    { containers: null },
  ];
  const drawn =
    pods !== undefined && chance.happens(65)
      ? pods.reduceRight<Json>((inner, step) => ({ [step]: inner }), chance.pick(ofPods))
      : chance.pick(general);
  return chance.happens(50) ? drawn : { ...(patch as Members), ...(drawn as Members) };
}

function podSpecPath(object: Manifest): readonly string[] | undefined {
  const paths = [
    ['spec'],
    ['spec', 'template', 'spec'],
    ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
    ['template', 'spec'],
  ];
  return paths.find((path) => read(object, [...path, 'containers']) !== undefined);
}
