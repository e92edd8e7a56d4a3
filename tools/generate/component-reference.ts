/** Writes docs/reference/kubernetesdaemonset.md: every field, every short form, every lint. */
import { GENERATIONS } from '../../src/core/api/component/generations.ts';
import type { Field, ObjectForm, ObjectSchema, Schema } from '../../src/core/api/component/language.ts';
import { manifest } from '../../src/core/api/component/spec.ts';
import { SILENCE_PREFIX } from '../../src/core/component/lint/contract/silence.ts';
import { lintCode, LINTS } from '../../src/core/component/lint/list.ts';
import { describeSchema } from '../../src/core/component/read/scalars.ts';

export const REFERENCE_PATH = 'docs/reference/kubernetesdaemonset.md';

const FORMS: { readonly [form in ObjectForm]: string } = {
  value: 'A text alone stands for `{value: text}`.',
  image: 'One text `repo:tag@digest` stands for the object.',
  env: 'A list stands for `variables`; so does a map of names to texts.',
  'flat-host-path': '`hostPath: /path` with `hostPathType` beside it stands for the nested form.',
  port: '`port` stands for `portNumber` or `portName`.',
};

export function fieldReference(): string {
  const objects = objectsIn(manifest);
  const versions = GENERATIONS.map(({ group, version, note }) => `| \`${group}/${version}\` | ${note} |`).join('\n');
  const lints = LINTS.map(({ name, level, why }) => `| \`${name}\` | \`${lintCode(name)}\` | ${level} | ${why} |`);
  return `# KubernetesDaemonSet: field reference

Every field of the manifest. Names are given in camelCase; snake_case is read, too (\`mountPath\`, \`mount_path\`), but one
field may not be given in both. [component.md](../component.md) tells how to use it. Written by \`npm run generate\`; do not edit.

| apiVersion | |
|---|---|
${versions}

${objects.map(section).join('\n')}
## Lints

Silence one on the component, with a reason: \`${SILENCE_PREFIX}<lint>: reason\` among its annotations.

| lint | code | level | why |
|---|---|---|---|
${lints.join('\n')}
`;
}

/** Each object once, in the order it is met. */
function objectsIn(root: ObjectSchema): readonly ObjectSchema[] {
  const found = new Map<string, ObjectSchema>();
  const walk = (schema: Schema): void => {
    if (schema.kind === 'list') walk(schema.items);
    else if (schema.kind === 'map') walk(schema.values);
    else if (schema.kind === 'object' && !found.has(schema.name)) {
      found.set(schema.name, schema);
      for (const field of Object.values(schema.fields)) walk(field.schema);
    }
  };
  walk(root);
  return [...found.values()];
}

function section(schema: ObjectSchema): string {
  const rows = Object.entries(schema.fields).map(([name, field]) => row(name, field));
  const notes = [
    ...(schema.form === undefined ? [] : [FORMS[schema.form]]),
    ...(schema.alternatives === undefined
      ? []
      : [
          `${schema.isAlternativeRequired === true ? 'Exactly' : 'At most'} one of ${schema.alternatives.map((name) => `\`${name}\``).join(', ')}.`,
        ]),
  ];
  return `## ${schema.name}
${notes.length === 0 ? '' : `\n${notes.join(' ')}\n`}
| field | type | default | |
|---|---|---|---|
${rows.join('\n')}
`;
}

function row(name: string, { schema, doc, isRequired, default: fallback, aliases = [] }: Field): string {
  const also = aliases.length === 0 ? '' : ` Also \`${aliases.join('`, `')}\`.`;
  return `| \`${name}\`${isRequired ? ' *(required)*' : ''} | ${typeText(schema)} | ${fallback ?? ''} | ${doc}.${also} |`;
}

function typeText(schema: Schema): string {
  if (schema.kind === 'object') return `[${schema.name}](#${schema.name.toLowerCase()})`;
  if (schema.kind === 'list') {
    const map = schema.form === 'named-map' ? ', or a map by name' : '';
    return `list of ${typeText(schema.items)}${schema.minItems > 0 ? ', not empty' : ''}${map}`;
  }
  if (schema.kind === 'map') return `map to ${typeText(schema.values)}${schema.form === 'files' ? ', or a text' : ''}`;
  return describeSchema(schema);
}
