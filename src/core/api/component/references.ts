/** Fields that hold a text, or name a field of another component that does. */
import { object, oneOf, optional, required, text } from './language.ts';

export const reference = object('Reference', {
  kind: optional(text(), 'Kind of the component referred to', { default: 'by field, see there' }),
  env: optional(text(), 'Environment it belongs to', { default: 'the environment of the component that refers' }),
  name: required(text(), 'Its `metadata.name`'),
  fieldPath: optional(text(), 'The field, under `spec.` or `status.outputs.`', { default: 'by field, see there' }),
});

export const textOrReference = object(
  'TextOrReference',
  {
    value: optional(text(), 'The text itself'),
    valueFrom: optional(reference, 'A field of another component'),
  },
  { form: 'value', alternatives: ['value', 'valueFrom'], isAlternativeRequired: true },
);

export const relationship = object('Relationship', {
  kind: required(text(), 'Kind of the other component'),
  env: optional(text(), 'Its environment'),
  name: required(text(), 'Its name'),
  type: required(oneOf('depends_on', 'runs_on', 'managed_by', 'uses'), 'What it is to this one'),
  group: optional(text(), 'Its group'),
});
