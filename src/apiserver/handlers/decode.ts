/** From what a client sent to an object of the kind: right type, checked structure, defaults filled in, immutable. */
import type { KindDefinition } from '../../core/api/kind-definition.ts';
import { type KubeObject, apiVersionOf } from '../../core/kube/objects.ts';
import { badRequest } from '../../core/kube/status-error.ts';
import type { WriteOptions } from '../../machinery/client.ts';
import { deepFreeze } from './freeze.ts';

export interface Decoder {
  decode(
    kind: KindDefinition,
    object: KubeObject,
    fieldValidation: WriteOptions['fieldValidation'],
    warn: ((message: string) => void) | undefined,
  ): KubeObject;
}

export function createDecoder(): Decoder {
  return {
    decode(kind, object) {
      const typed = checkType(kind, object);
      deepFreeze(typed);
      return kind.strategy.defaults(typed);
    },
  };
}

function checkType(kind: KindDefinition, object: KubeObject): KubeObject {
  const expected = apiVersionOf(kind);
  if (object.apiVersion === expected && object.kind === kind.kind) return object;
  if (!object.apiVersion && !object.kind) return { ...object, apiVersion: expected, kind: kind.kind };
  if (object.kind !== kind.kind) {
    throw badRequest(
      `${object.kind} in version ${JSON.stringify(object.apiVersion)} cannot be handled as a ${kind.kind}`,
    );
  }
  throw badRequest(
    `the API version in the data (${object.apiVersion}) does not match the expected API version (${expected})`,
  );
}
