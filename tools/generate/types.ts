/**
 * The TypeScript shape of every kind, src/core/api/types/*.ts, from the facts that also drive decoding, defaulting and
 * protobuf. `npm run generate` writes everything that is generated; a test fails when a file is stale.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generateComponent } from './component.ts';
import { generateControllers } from './controllers.ts';
import { generateErrors } from './errors.ts';
import { generateResources } from './resources.ts';
import { KUBERNETES_TYPES } from '../../src/core/api/facts/kubernetes-types.ts';
import { OWN_TYPES } from '../../src/core/api/facts/own-types.ts';
import {
  parseFacts,
  type FieldFact,
  type TypeExpression,
  type TypeFact,
} from '../../src/core/api/schema/parse-facts.ts';

const SCALAR_TYPES: Record<string, string> = {
  string: 'string',
  bool: 'boolean',
  int32: 'number',
  int64: 'number',
  uint8: 'number',
  double: 'number',
  bytes: 'string',
  quantity: 'string | number',
  intorstring: 'number | string',
  time: 'string',
  microtime: 'string',
  duration: 'string',
  raw: 'Json',
  json: 'Json',
  fieldsv1: 'Json',
  schemaorbool: 'JSONSchemaProps | boolean',
  schemaorarray: 'JSONSchemaProps | readonly JSONSchemaProps[]',
  schemaorstrings: 'JSONSchemaProps | readonly string[]',
};

const META = 'meta/v1';

/** Where a package's types stand. `meta` belongs to kube/, which may not look up into api/. */
const pathOf = (typePackage: string): string =>
  typePackage === META ? 'src/core/kube/meta-v1.ts' : `src/core/api/types/${typePackage.replace('/', '-')}.ts`;

/** Every generated file by path, so the staleness test can compare without writing. */
export function generateTypes(): ReadonlyMap<string, string> {
  const types = [...parseFacts(KUBERNETES_TYPES).values(), ...parseFacts(OWN_TYPES).values()];
  const packages = Map.groupBy(types, (type) => type.name.split('.')[0] ?? '');
  return new Map([...packages].map(([name, members]) => [pathOf(name), packageFile(name, members)]));
}

function packageFile(typePackage: string, types: readonly TypeFact[]): string {
  const imports = new Map<string, Set<string>>();
  const reference = (name: string): string => {
    const [from = '', type = ''] = name.split('.');
    if (from !== typePackage) {
      const names = imports.get(from) ?? new Set<string>();
      imports.set(from, names.add(type));
    }
    return type;
  };
  const expression = (type: TypeExpression): string => {
    switch (type.kind) {
      case 'scalar':
        if (SCALAR_TYPES[type.scalar]?.includes('Json')) imports.set('json', new Set(['Json']));
        return SCALAR_TYPES[type.scalar] ?? 'never';
      case 'object':
        return reference(type.name);
      case 'list': {
        const element = expression(type.element);
        return `readonly ${element.includes('|') ? `(${element})` : element}[]`;
      }
      case 'map':
        return `{ readonly [key: string]: ${expression(type.value)} }`;
    }
  };
  const body = types.map((type) => interfaceText(type, expression, reference)).join('\n');
  const importLines = [...imports]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([from, names]) => {
      const path = importPath(typePackage, from);
      return `import type { ${[...names].toSorted().join(', ')} } from '${path}';\n`;
    });
  return `// Written by tools/generate/types.ts from the facts beside it; edit those.\n${importLines.join('')}\n${body}`;
}

function importPath(typePackage: string, from: string): string {
  if (from === 'json') return typePackage === META ? './json.ts' : '../../kube/json.ts';
  return from === META ? '../../kube/meta-v1.ts' : `./${from.replace('/', '-')}.ts`;
}

function interfaceText(
  type: TypeFact,
  expression: (type: TypeExpression) => string,
  reference: (name: string) => string,
): string {
  const inline = type.fields.filter((field) => field.name === '');
  const isKind =
    type.fields.some(
      (f) => f.name === 'metadata' && f.type.kind === 'object' && f.type.name === 'meta/v1.ObjectMeta',
    ) && type.typed;
  const isList = type.fields.some(
    (f) => f.name === 'metadata' && f.type.kind === 'object' && f.type.name === 'meta/v1.ListMeta',
  );
  const parents = inline.map((field) => (field.type.kind === 'object' ? reference(field.type.name) : ''));
  const name = type.name.split('.')[1] ?? '';
  const lines = [`export interface ${name}${parents.length > 0 ? ` extends ${parents.join(', ')}` : ''} {`];
  if (isKind || isList) lines.push('  readonly apiVersion: string;', '  readonly kind: string;');
  for (const field of type.fields) {
    if (field.name === '') continue;
    const key = /^[A-Za-z_]\w*$/.test(field.name) ? field.name : `'${field.name}'`;
    lines.push(`  readonly ${key}${isPresent(type, field, isKind) ? '' : '?'}: ${expression(field.type)};`);
  }
  return `${lines.join('\n')}\n}\n`;
}

/** Whether every stored object has the field, so that readers need not check. */
function isPresent(type: TypeFact, field: FieldFact, isKind: boolean): boolean {
  if (field.required) return true;
  if (type.name === 'meta/v1.ObjectMeta') return field.name === 'name';
  if (isKind && field.name === 'metadata') return true;
  return isKind && field.name === 'spec' && field.type.kind === 'object' && !field.pointer;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of [
    ...generateTypes(),
    ...generateResources(),
    ...generateErrors(),
    ...generateComponent(),
    ...generateControllers(),
  ]) {
    writeFileSync(new URL(`../../${path}`, import.meta.url), text);
  }
}
