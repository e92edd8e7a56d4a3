/** Formats in a definition that Kubernetes does not check, though the author may expect it. */
import type { CustomResourceDefinition } from '../../types/apiextensions-v1.ts';
import { recognizedFormat } from '../schema/formats.ts';
import { someSchema } from '../schema/structural.ts';

export function unrecognizedFormats({ spec }: CustomResourceDefinition): readonly string[] {
  const found = new Set<string>();
  for (const { schema } of spec.versions) {
    if (schema?.openAPIV3Schema === undefined) continue;
    someSchema(schema.openAPIV3Schema, ({ format, type }) => {
      if (format && recognizedFormat([type ?? ''], format) === '') found.add(format);
      return false;
    });
  }
  return [...found];
}
