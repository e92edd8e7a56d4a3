/** `/openapi/…`: documents are built when first asked for and kept until the registry changes. */
import { documentV2, documentV3, indexV3 } from '../../core/api/openapi/documents.ts';
import { encodeOpenApiV2 } from '../../core/api/openapi/protobuf.ts';
import type { Registry } from '../../core/api/registry/registry.ts';
import { VERSION } from '../../core/api/version.ts';
import { JSON_TYPE } from './negotiate.ts';

export interface OpenApiAnswer {
  readonly contentType: string;
  readonly body: Buffer;
}

/** kubectl uses both spellings. */
const PROTOBUF = /application\/com\.github\.proto-openapi\.spec\.v2[@.]v1\.0\+protobuf/;
const PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const INFO = { title: 'everynode', version: VERSION.gitVersion };

export function createOpenApi(
  registry: Registry,
): (version: 'v2' | 'v3', path: string, accept: string) => OpenApiAnswer | undefined {
  const built = new Map<string, OpenApiAnswer>();
  let generation = registry.generation;
  const json = (document: object): OpenApiAnswer => ({
    contentType: JSON_TYPE,
    body: Buffer.from(JSON.stringify(document)),
  });

  function build(version: 'v2' | 'v3', path: string, isProtobuf: boolean): OpenApiAnswer | undefined {
    if (version === 'v2') {
      const document = documentV2(registry, INFO);
      return isProtobuf ? { contentType: PROTOBUF_TYPE, body: encodeOpenApiV2(document) } : json(document);
    }
    const document = path === '' ? indexV3(registry, String(registry.generation)) : documentV3(registry, path, INFO);
    return document && json(document);
  }

  return (version, path, accept) => {
    if (generation !== registry.generation) {
      built.clear();
      generation = registry.generation;
    }
    const isProtobuf = version === 'v2' && PROTOBUF.test(accept);
    const key = `${version}/${path}/${isProtobuf}`;
    const answer = built.get(key) ?? build(version, path, isProtobuf);
    if (answer !== undefined) built.set(key, answer);
    return answer;
  };
}
