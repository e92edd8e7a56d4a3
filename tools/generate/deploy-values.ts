/**
 * The controllers in the comments of values.yaml, and docs/reference/helm-values.md from those comments and the types in
 * values.schema.json.
 */
import { CATALOGUE } from '../../src/assembly/catalogue/catalogue.ts';
import type { Catalogue } from '../../src/assembly/catalogue/entry.ts';
import { placesIn } from '../../src/assembly/catalogue/select.ts';
import { isMap, isScalar, parseDocument, type YAMLMap } from 'yaml';

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: { readonly [name: string]: Schema };
}

export interface ChartValue {
  readonly path: string;
  readonly type: string;
  readonly standard: unknown;
  readonly about: string;
}

const HEAD = `# Values of the Helm chart

Give them with \`--set path=value\` or in a file with \`--values\`. Values that are not listed here are refused. The rules of the
roles, with a reason for each, are in \`files/rights.yaml\` of the chart. Written by \`node tools/generate/deploy.ts\` from the
comments in \`deploy/helm/everynode/values.yaml\`; do not edit.
`;

export function chartValues(values: string, schema: string): readonly ChartValue[] {
  const document = parseDocument(values);
  if (!isMap(document.contents)) throw new Error('values.yaml is no map');
  const found: ChartValue[] = [];
  walk(document.contents, JSON.parse(schema) as Schema, '', document.contents.commentBefore ?? '', found);
  return found;
}

/** A map without a comment is a group of values; with one it is a value itself. */
function walk(map: YAMLMap, schema: Schema, prefix: string, first: string, found: ChartValue[]): void {
  for (const [index, pair] of map.items.entries()) {
    const { key, value } = pair;
    if (!isScalar(key)) continue;
    const path = `${prefix}${String(key.value)}`;
    const comment = lastBlock(key.commentBefore ?? (index === 0 ? first : ''));
    const own = schema.properties?.[String(key.value)] ?? {};
    if (comment === '' && isMap(value) && value.items.length > 0) {
      walk(value, own, `${path}.`, value.commentBefore ?? '', found);
      continue;
    }
    const standard = (value as { toJSON(): unknown } | null)?.toJSON() ?? null;
    found.push({ path, type: typeOf(own), standard, about: comment });
  }
}

/** The comment directly above the value; a block with an empty line after it is about the file. */
const lastBlock = (comment: string): string =>
  (comment.split(/\n\s*\n/).at(-1) ?? '')
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim();

function typeOf({ type, enum: choices, oneOf }: Schema): string {
  if (choices !== undefined) return choices.map((choice) => (choice === '' ? 'empty' : String(choice))).join(', ');
  if (oneOf !== undefined) return oneOf.map(typeOf).join(' or ');
  return type ?? '';
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export function valuesPage(values: string, schema: string): string {
  const rows = chartValues(values, schema).map(
    ({ path, type, standard, about }) =>
      `| \`${path}\` | ${cell(type)} | \`${cell(JSON.stringify(standard))}\` | ${cell(about)} |`,
  );
  return `${HEAD}\n| value | type | default | what it is |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

const CONTROLLERS_COMMENT = /(?<=\n)# Known are .*\n(?=controllers: )/;

/** values.yaml with the controllers of the catalogue in the comment of `controllers`. */
export function valuesFile(values: string, catalogue: Catalogue = CATALOGUE): string {
  if (!CONTROLLERS_COMMENT.test(values)) throw new Error('values.yaml has no line "# Known are …" above controllers');
  const known = placesIn('operator', catalogue).map(
    ({ row, place }) => `\`${row.name}\`${place.runs === 'default' ? ' (on by default)' : ''}`,
  );
  return values.replace(CONTROLLERS_COMMENT, () => `# Known are ${known.join(', ')}.\n`);
}
