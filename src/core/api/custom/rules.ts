/** `x-kubernetes-validations`: rules of a schema, compiled once and run over every value they stand for. */
import type { FieldError } from '../../kube/field-errors.ts';
import type { KubeObject } from '../../kube/objects.ts';
import type { Structural } from './structural.ts';

export interface Rules {
  validate(object: KubeObject, old: KubeObject | undefined): readonly FieldError[];
}

/** Undefined where the schema has no rules. */
export function compileRules(_schema: Structural): Rules | undefined {
  return undefined;
}

/** What is wrong with the rules of a schema: they do not compile, or would cost too much. */
export function ruleErrors(
  _schema: Structural,
  _path: string,
  _options: { readonly unchanged: boolean },
): readonly FieldError[] {
  return [];
}
