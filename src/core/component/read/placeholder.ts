/**
 * A value in the place of one that could not be read, so that the rest can be checked. It passes every later check; a
 * problem has been reported for its place already.
 */
import type { Schema } from '../../api/component/language.ts';
import { SecretText } from '../../api/component/secret-text.ts';

const FORMATTED: { readonly [format: string]: string } = {
  'absolute-path': '/unreadable',
  digest: `sha256:${'0'.repeat(64)}`,
  ip: '192.0.2.1',
};

export function placeholder(schema: Schema): unknown {
  switch (schema.kind) {
    case 'text':
      return schema.values?.[0] ?? FORMATTED[schema.format ?? ''] ?? 'unreadable';
    case 'secret':
      return SecretText.literal('');
    case 'integer':
      return Math.max(schema.min, 1);
    case 'boolean':
      return false;
    case 'bound':
      return 1;
    case 'quantity':
      return '1';
    case 'list':
      return schema.minItems > 0 ? [placeholder(schema.items)] : [];
    case 'map':
      return {};
    case 'any':
      return undefined;
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.fields)
          .filter(([, field]) => field.isRequired)
          .map(([name, field]) => [name, placeholder(field.schema)]),
      );
  }
}
