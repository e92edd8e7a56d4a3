/**
 * OpenAPI 2 in the protobuf form that older kubectl insists on. Only what they read is written: definitions with their
 * extensions, and of paths the patch operations, in which they look for the kind and for `dryRun`. The wire format goes from the end to the front (see the writer), so fields come in descending order.
 */
import {
  createWriter,
  finish,
  writeByte,
  writeString,
  writeUnsigned,
  written,
  type Writer,
} from '../schema/protobuf/writer.ts';
import { encodeJson, type Json } from '../../kube/json.ts';
import type { OpenApiDocument } from './documents.ts';
import type { SchemaDocument } from './schemas.ts';

/** Field numbers of gnostic's OpenAPI v2 messages. */
const DOCUMENT = { swagger: 1, info: 2, paths: 8, definitions: 9 };
const INFO = { title: 1, version: 2 };
const SCHEMA = {
  ref: 1,
  format: 2,
  description: 4,
  required: 19,
  additionalProperties: 21,
  type: 22,
  items: 23,
  properties: 25,
  extension: 31,
};
const PATHS = { path: 2 };
const PATH_ITEM = { patch: 8 };
const OPERATION = { parameters: 8, extension: 13 };
const PARAMETER = { nonBody: 2 };
const NON_BODY = { query: 3 };
const QUERY_PARAMETER = { in: 2, name: 4, type: 6 };
const NAMED = { name: 1, value: 2 };
const ANY = { yaml: 2 };
const FIRST = 1;

const WIRE_BYTES = 2;

function message(writer: Writer, number: number, write: () => void): void {
  const before = written(writer);
  write();
  writeUnsigned(writer, written(writer) - before);
  writeUnsigned(writer, number * 8 + WIRE_BYTES);
}

function text(writer: Writer, number: number, value: string | undefined): void {
  if (value === undefined || value === '') return;
  writeString(writer, value);
  writeUnsigned(writer, number * 8 + WIRE_BYTES);
}

export function encodeOpenApiV2(document: OpenApiDocument): Buffer {
  const writer = createWriter();
  message(writer, DOCUMENT.definitions, () => namedSchemas(writer, document.definitions ?? {}));
  message(writer, DOCUMENT.paths, () => patchPaths(writer, document.paths));
  message(writer, DOCUMENT.info, () => {
    text(writer, INFO.version, document.info.version);
    text(writer, INFO.title, document.info.title);
  });
  text(writer, DOCUMENT.swagger, document.swagger);
  return finish(writer);
}

function patchPaths(writer: Writer, paths: OpenApiDocument['paths']): void {
  for (const [path, item] of Object.entries(paths).toReversed()) {
    const patch = (item as { readonly patch?: PatchOperation }).patch;
    if (patch === undefined) continue;
    message(writer, PATHS.path, () => {
      message(writer, NAMED.value, () => message(writer, PATH_ITEM.patch, () => operation(writer, patch)));
      text(writer, NAMED.name, path);
    });
  }
}

interface PatchOperation {
  readonly parameters?: readonly { readonly name: string }[];
  readonly [extension: `x-${string}`]: unknown;
}

function operation(writer: Writer, patch: PatchOperation): void {
  extensions(writer, OPERATION.extension, patch);
  for (const { name } of (patch.parameters ?? []).toReversed()) {
    message(writer, OPERATION.parameters, () =>
      message(writer, FIRST, () =>
        message(writer, PARAMETER.nonBody, () =>
          message(writer, NON_BODY.query, () => {
            text(writer, QUERY_PARAMETER.type, 'string');
            text(writer, QUERY_PARAMETER.name, name);
            text(writer, QUERY_PARAMETER.in, 'query');
          }),
        ),
      ),
    );
  }
}

function extensions(writer: Writer, number: number, source: { readonly [extension: `x-${string}`]: unknown }): void {
  const found = Object.entries(source).filter(([name]) => name.startsWith('x-'));
  for (const [name, value] of found.toReversed()) {
    message(writer, number, () => {
      // JSON is YAML.
      message(writer, NAMED.value, () => text(writer, ANY.yaml, `${encodeJson(value as Json)}\n`));
      text(writer, NAMED.name, name);
    });
  }
}

function namedSchemas(writer: Writer, schemas: { readonly [name: string]: SchemaDocument }): void {
  for (const [name, schema] of Object.entries(schemas).toReversed()) {
    message(writer, FIRST, () => {
      message(writer, NAMED.value, () => schemaMessage(writer, schema));
      text(writer, NAMED.name, name);
    });
  }
}

function schemaMessage(writer: Writer, schema: SchemaDocument): void {
  extensions(writer, SCHEMA.extension, schema);
  const { properties, items, type, additionalProperties } = schema;
  if (properties !== undefined) message(writer, SCHEMA.properties, () => namedSchemas(writer, properties));
  if (items !== undefined)
    message(writer, SCHEMA.items, () => message(writer, FIRST, () => schemaMessage(writer, items)));
  if (type !== undefined) message(writer, SCHEMA.type, () => text(writer, FIRST, type));
  if (additionalProperties !== undefined) {
    message(writer, SCHEMA.additionalProperties, () => {
      if (typeof additionalProperties === 'object')
        message(writer, FIRST, () => schemaMessage(writer, additionalProperties));
      else {
        writeByte(writer, additionalProperties ? 1 : 0);
        writeUnsigned(writer, 2 * 8);
      }
    });
  }
  for (const name of (schema.required ?? []).toReversed()) text(writer, SCHEMA.required, name);
  text(writer, SCHEMA.description, schema.description);
  text(writer, SCHEMA.format, schema.format);
  text(writer, SCHEMA.ref, schema.$ref);
}
