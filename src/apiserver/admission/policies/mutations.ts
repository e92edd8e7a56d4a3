/** A MutatingAdmissionPolicy, ready to run: what each of its mutations makes of an object. */
import { shapeOfKind } from '../../../core/api/apply/kind-shape.ts';
import { merge } from '../../../core/api/apply/merge.ts';
import { describeElement, fieldElement } from '../../../core/api/apply/path-element.ts';
import type { Shape } from '../../../core/api/apply/shape.ts';
import { joinErrors, validateConfiguration } from '../../../core/api/apply/validate.ts';
import { isList, isMap } from '../../../core/api/apply/values.ts';
import type { CelBindings, CelValue } from '../../../core/api/cel/cel.ts';
import { misnamed, patchOperations } from '../../../core/api/cel/patch-types.ts';
import { toJson } from '../../../core/api/cel/values/to-json.ts';
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import type { MutatingAdmissionPolicy, Mutation } from '../../../core/api/types/admissionregistration-v1.ts';
import { applyJsonPatch, JsonPatchError, JsonPatchTestFailed } from '../../../core/kube/json-patch.ts';
import type { Json } from '../../../core/kube/json.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import { compileHead, createRun, type Matched, meets, type Program } from './policy-run.ts';

export interface CompiledMutations {
  meets(bindings: CelBindings): Matched;
  readonly mutations: readonly Mutate[];
}

/** The object after the mutation. Throws an `Error` that says why there is none. */
type Mutate = (bindings: CelBindings, object: KubeObject, kind: KindDefinition) => KubeObject;

export function compileMutations({ spec }: MutatingAdmissionPolicy): CompiledMutations {
  const { conditions, variables, compile } = compileHead(spec);
  /** Each has a budget of its own, and variables as the object is by then. */
  const valueOf = (program: Program, bindings: CelBindings): CelValue => {
    const result = createRun(bindings, variables).evaluate(program);
    if (!result.ok) throw new Error(result.error);
    return result.value;
  };
  const mutationOf = ({ patchType, jsonPatch, applyConfiguration }: Mutation): Mutate => {
    const isPatch = patchType === 'JSONPatch';
    const program = compile((isPatch ? jsonPatch : applyConfiguration)?.expression ?? '', true);
    return isPatch
      ? (bindings, object) => patched(object, valueOf(program, bindings))
      : (bindings, object, kind) => applied(object, valueOf(program, bindings), kind);
  };
  return {
    meets: (bindings) => meets(conditions, createRun(bindings, variables)),
    mutations: (spec.mutations ?? []).map(mutationOf),
  };
}

function patched(object: KubeObject, value: CelValue): KubeObject {
  const operations = patchOperations(value);
  try {
    return applyJsonPatch(object as unknown as Json, operations) as unknown as KubeObject;
  } catch (error) {
    // A patch whose test fails is one that has nothing to say here.
    if (error instanceof JsonPatchTestFailed) return object;
    throw error instanceof JsonPatchError ? new Error(`JSON Patch: ${error.message}`) : error;
  }
}

function applied(object: KubeObject, value: CelValue, kind: KindDefinition): KubeObject {
  const problems = misnamed(value);
  if (problems.length > 0) throw new Error(`type mismatch: ${problems.join('\n')}`);
  const { apiVersion, kind: own } = object;
  const configuration = { ...(toJson(value) as { readonly [key: string]: Json }), apiVersion, kind: own };
  const shape = shapeOfKind(kind);
  const wrong = validateConfiguration(shape, configuration);
  if (wrong.length > 0) {
    throw new Error(`error applying patch: failed to convert patch object to typed object: ${joinErrors(wrong)}`);
  }
  const atomic = atomicsIn(shape, configuration);
  if (atomic.length > 0) {
    throw new Error(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomic.join(', ')}`,
    );
  }
  return merge(shape, object as unknown as Json, configuration) as unknown as KubeObject;
}

/** Paths of atomic maps and lists that the configuration sets: all members that it does not repeat would be lost. */
function atomicsIn(shape: Shape, value: Json, path = ''): readonly string[] {
  const found: string[] = [];
  if (isMap(value) && shape.map !== undefined) {
    if (shape.map.atomic) found.push(path);
    for (const [key, member] of Object.entries(value)) {
      const known = shape.map.field(key);
      if (known !== undefined && member !== undefined) {
        found.push(...atomicsIn(known.shape, member, path + describeElement(fieldElement(key))));
      }
    }
  }
  if (isList(value) && shape.list !== undefined) {
    if (shape.list.relation === 'atomic') found.push(path);
    const { element } = shape.list;
    value.forEach((item, index) => found.push(...atomicsIn(element, item, `${path}[${index}]`)));
  }
  return found;
}
