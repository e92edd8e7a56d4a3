/** Types of all nodes, and the overloads of their calls; or the issues, in cel-go's words. */
import {
  qualifiedName,
  type CallExpr,
  type Expr,
  type FoldExpr,
  type ListExpr,
  type Literal,
  type MapExpr,
  type StructExpr,
} from './ast.ts';
import type { CelEnvironment } from './model.ts';
import { functionOverloads, type Overload } from './declarations.ts';
import { RESERVED_WORDS } from './values/escape.ts';
import type { ParseIssue } from './parser.ts';
import { isPatchType, patchFieldType } from './patch-types.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  ERROR,
  INT,
  isDyn,
  isDynOrError,
  isOptional,
  listType,
  mapType,
  NULL,
  opaqueType,
  optionalType,
  paramType,
  parameter,
  printType,
  sameType,
  STRING,
  structType,
  TIMESTAMP,
  TYPE,
  typeOf,
  UINT,
  withoutOptional,
  type CelType,
} from './types.ts';
import { mostGeneral, substitute, Substitutions, unify, unifyAll } from './unify.ts';
import { CelUint } from './values/values.ts';

/** The declaration that a name or call refers to. */
type Reference =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'type'; readonly name: string }
  /** With several overloads, the arguments decide at run time. */
  | {
      readonly kind: 'function';
      readonly name: string;
      readonly overloads: readonly string[];
      readonly qualified: boolean;
    };

export interface Checked {
  readonly type: CelType;
  readonly types: readonly (CelType | undefined)[];
  readonly references: readonly (Reference | undefined)[];
}

export type CheckResult =
  | { readonly ok: true; readonly checked: Checked }
  | { readonly ok: false; readonly issues: readonly ParseIssue[] };

/** Names that stand for types. */
const TYPE_NAMES: ReadonlyMap<string, CelType> = new Map([
  ['bool', BOOL],
  ['bytes', BYTES],
  ['double', DOUBLE],
  ['duration', DURATION],
  ['google.protobuf.Duration', DURATION],
  ['google.protobuf.Timestamp', TIMESTAMP],
  ['int', INT],
  ['list', listType(DYN)],
  ['map', mapType(DYN, DYN)],
  ['null_type', NULL],
  ['string', STRING],
  ['timestamp', TIMESTAMP],
  ['type', TYPE],
  ['uint', UINT],
  ['optional_type', opaqueType('optional_type')],
  ['net.IP', opaqueType('net.IP')],
  ['net.CIDR', opaqueType('net.CIDR')],
]);

interface Scope {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly outer: Scope | undefined;
}

export function check(expr: Expr, environment: CelEnvironment): CheckResult {
  const issues: ParseIssue[] = [];
  const types: (CelType | undefined)[] = [];
  const references: (Reference | undefined)[] = [];
  const known = new Substitutions();
  let freshVariables = 0;
  let scope: Scope | undefined;

  const fail = (at: number, message: string): void => {
    issues.push({ at, message });
  };
  const undeclared = (at: number, name: string): void =>
    fail(at, `undeclared reference to '${name}' (in container '')`);
  const mismatch = (at: number, expected: CelType, found: CelType): void =>
    fail(at, `expected type '${printType(expected)}' but found '${printType(found)}'`);
  const typeOfNode = (node: Expr): CelType => types[node.id] ?? ERROR;
  const freshVariable = (): CelType => paramType(`_var${freshVariables++}`);

  const assign = (from: CelType, to: CelType): boolean => unify(known, from, to);

  function lookUp(name: string): { type: CelType; reference: Reference } | undefined {
    const plain = name.startsWith('.') ? name.slice(1) : name;
    for (let current = scope; current && !name.startsWith('.'); current = current.outer) {
      const type = current.variables.get(plain);
      if (type) return { type, reference: { kind: 'variable', name: plain } };
    }
    const variable = environment.variables.get(plain);
    if (variable) return { type: variable.type, reference: { kind: 'variable', name: plain } };
    const named = TYPE_NAMES.get(plain) ?? objectType(plain);
    return named && { type: typeOf(named), reference: { kind: 'type', name: plain } };
  }

  const objectType = (name: string): CelType | undefined =>
    environment.objectTypes.has(name) || (environment.jsonPatch === true && isPatchType(name))
      ? structType(name)
      : undefined;

  function visit(node: Expr): void {
    switch (node.kind) {
      case 'literal':
        types[node.id] = literalType(node.value);
        return;
      case 'ident': {
        const found = lookUp(node.name);
        types[node.id] = found?.type ?? ERROR;
        references[node.id] = found?.reference;
        if (!found) undeclared(node.at, node.name);
        return;
      }
      case 'select': {
        const name = qualifiedName(node);
        const found = name === undefined ? undefined : lookUp(name);
        if (found) {
          types[node.id] = found.type;
          references[node.id] = found.reference;
          return;
        }
        const type = fieldType(node.at, node.operand, node.field, false);
        types[node.id] = node.test ? BOOL : substitute(known, type, false);
        return;
      }
      case 'call':
        visitCall(node);
        return;
      case 'list':
        visitList(node);
        return;
      case 'map':
        visitMap(node);
        return;
      case 'struct':
        visitStruct(node);
        return;
      case 'fold':
        visitFold(node);
    }
  }

  function fieldType(at: number, operand: Expr, field: string, optional: boolean): CelType {
    visit(operand);
    const operandType = substitute(known, typeOfNode(operand), false);
    const target = withoutOptional(operandType);
    const result = plainFieldType(at, target, field);
    return optional || isOptional(operandType) ? optionalType(result) : result;
  }

  function plainFieldType(at: number, target: CelType, field: string): CelType {
    if (target.kind === 'map') return parameter(target, 1);
    if (target.kind === 'struct') return structFieldType(at, target, field) ?? ERROR;
    if (target.kind === 'param') assign(DYN, target);
    else if (!isDynOrError(target)) fail(at, `type '${printType(target)}' does not support field selection`);
    return DYN;
  }

  function structFieldType(at: number, target: CelType, field: string): CelType | undefined {
    if (environment.jsonPatch === true && isPatchType(target.name)) {
      const type = patchFieldType(target.name, field);
      if (!type) fail(at, `undefined field '${field}'`);
      return type;
    }
    const decl = environment.objectTypes.get(target.name);
    if (!decl) {
      fail(at, `unexpected failed resolution of '${target.name}'`);
      return undefined;
    }
    const found =
      decl.fields?.get(field) ??
      (environment.reservedFields === true && RESERVED_WORDS.has(field) ? decl.fields?.get(`__${field}__`) : undefined);
    if (!found) fail(at, `undefined field '${field}'`);
    return found?.type;
  }

  function visitCall(node: CallExpr): void {
    if (node.name === '_?._') {
      const [operand, field] = node.args as [Expr, Expr];
      const name = field.kind === 'literal' && typeof field.value === 'string' ? field.value : '';
      types[node.id] = substitute(known, fieldType(node.at, operand, name, true), false);
      types[field.id] = STRING;
      references[node.id] = functionReference(node.name, ['select_optional_field'], false);
      return;
    }
    for (const argument of node.args) visit(argument);
    if (!node.target) {
      const name = node.name.startsWith('.') ? node.name.slice(1) : node.name;
      resolve(node, name, functionOverloads(name), undefined, false);
      return;
    }
    // `a.b.c()` is a function of that name, or `c` called on `a.b`.
    const prefix = qualifiedName(node.target);
    const qualified = prefix === undefined ? undefined : `${prefix.replace(/^\./, '')}.${node.name}`;
    const overloads = qualified === undefined ? undefined : functionOverloads(qualified);
    if (qualified !== undefined && overloads) {
      resolve(node, qualified, overloads, undefined, true);
      return;
    }
    visit(node.target);
    resolve(node, node.name, functionOverloads(node.name), node.target, false);
  }

  const functionReference = (name: string, overloads: readonly string[], qualified: boolean): Reference => ({
    kind: 'function',
    name,
    overloads,
    qualified,
  });

  function resolve(
    node: CallExpr,
    name: string,
    overloads: readonly Overload[] | undefined,
    target: Expr | undefined,
    qualified: boolean,
  ): void {
    if (!overloads || !isEnabled(name)) {
      undeclared(node.at, node.name);
      types[node.id] = ERROR;
      return;
    }
    const found =
      name === '_&&_' || name === '_||_'
        ? resolveLogical(node, overloads)
        : resolveOverloads(node, name, overloads, target);
    types[node.id] = found?.type ?? ERROR;
    if (found) references[node.id] = functionReference(name, found.ids, qualified);
  }

  const isEnabled = (name: string): boolean => !name.startsWith('jsonpatch.') || environment.jsonPatch === true;

  function resolveLogical(node: CallExpr, overloads: readonly Overload[]): Resolution | undefined {
    let fits = true;
    for (const argument of node.args) {
      if (assign(typeOfNode(argument), BOOL)) continue;
      mismatch(argument.at, BOOL, typeOfNode(argument));
      fits = false;
    }
    return fits ? { type: BOOL, ids: overloads.map(({ id }) => id) } : undefined;
  }

  function resolveOverloads(
    node: CallExpr,
    name: string,
    overloads: readonly Overload[],
    target: Expr | undefined,
  ): Resolution | undefined {
    const args = (target ? [target, ...node.args] : node.args).map(typeOfNode);
    let type: CelType | undefined;
    const ids: string[] = [];
    for (const overload of overloads) {
      if (overload.member !== (target !== undefined)) continue;
      const { args: wanted, result } = instantiate(overload);
      if (!unifyAll(known, args, wanted)) continue;
      ids.push(overload.id);
      const found = substitute(known, result, false);
      if (type === undefined) type = found;
      else if (!isDyn(type) && !sameType(found, type)) type = DYN;
    }
    if (type !== undefined) return { type, ids };
    const printed = args.map((argument) => printType(substitute(known, argument, true)));
    const signature = target ? `${printed[0] ?? ''}.(${printed.slice(1).join(', ')})` : `(${printed.join(', ')})`;
    fail(node.at, `found no matching overload for '${name}' applied to '${signature}'`);
    return undefined;
  }

  /** The overload with type variables of its own for this call. */
  function instantiate(overload: Overload): { args: readonly CelType[]; result: CelType } {
    if (overload.parameters.length === 0) return overload;
    const fresh = new Map(overload.parameters.map((name) => [name, freshVariable()]));
    return {
      args: overload.args.map((type) => substitute(fresh, type, false)),
      result: substitute(fresh, overload.result, false),
    };
  }

  /** The type of an element written `?x`, which must be an optional. */
  function unwrapped(node: Expr, optional: boolean): CelType {
    const type = typeOfNode(node);
    if (!optional) return type;
    const inner = withoutOptional(type);
    if (!isOptional(type) && !isDyn(inner)) mismatch(node.at, optionalType(inner), inner);
    return inner;
  }

  function visitList(node: ListExpr): void {
    let element: CelType | undefined;
    node.elements.forEach((item, index) => {
      visit(item);
      element = join(element, unwrapped(item, node.optionals.has(index)));
    });
    types[node.id] = listType(element ?? freshVariable());
  }

  function visitMap(node: MapExpr): void {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of node.entries) {
      visit(entry.key);
      key = join(key, typeOfNode(entry.key));
      visit(entry.value);
      value = join(value, unwrapped(entry.value, entry.optional));
    }
    const keyType = key ?? freshVariable();
    types[node.id] = mapType(keyType, value ?? freshVariable());
  }

  /** Elements of different types make a list of dyn; a validator reports lists that must have one type. */
  function join(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current;
    if (assign(previous, current)) return mostGeneral(previous, current);
    return DYN;
  }

  function visitStruct(node: StructExpr): void {
    const found = lookUp(node.name);
    if (!found) {
      undeclared(node.at, node.name);
      types[node.id] = ERROR;
      return;
    }
    references[node.id] = { kind: 'type', name: node.name };
    let type = ERROR;
    if (found.type.kind !== 'type') fail(node.at, `'${found.type.name}' is not a type`);
    else if (parameter(found.type, 0).kind === 'struct') type = parameter(found.type, 0);
    else fail(node.at, `'${parameter(found.type, 0).name}' is not a message type`);
    types[node.id] = type;
    for (const field of node.fields) {
      visit(field.value);
      const wanted = (type.kind === 'struct' ? structFieldType(field.at, type, field.name) : undefined) ?? ERROR;
      const given = unwrapped(field.value, field.optional);
      if (!assign(wanted, given)) {
        const [w, g] = [printType(wanted), printType(given)];
        fail(field.at, `expected type of field '${field.name}' is '${w}' but provided type is '${g}'`);
      }
    }
  }

  function visitFold(node: FoldExpr): void {
    visit(node.range);
    visit(node.init);
    const range = substitute(known, typeOfNode(node.range), false);
    const accumulator = typeOfNode(node.init);
    const outer = scope;
    const accumulatorScope: Scope = { variables: new Map([[node.accumulator, accumulator]]), outer };
    const [first, second] = loopTypes(node, range);
    const variables = new Map([[node.variable, first]]);
    if (node.variable2 !== undefined) variables.set(node.variable2, second);
    scope = { variables, outer: accumulatorScope };
    visit(node.condition);
    assertType(node.condition, BOOL);
    visit(node.step);
    assertType(node.step, accumulator);
    scope = accumulatorScope;
    visit(node.result);
    scope = outer;
    types[node.id] = substitute(known, typeOfNode(node.result), false);
  }

  function loopTypes(node: FoldExpr, range: CelType): readonly [CelType, CelType] {
    const two = node.variable2 !== undefined;
    if (range.kind === 'list') return two ? [INT, parameter(range, 0)] : [parameter(range, 0), DYN];
    if (range.kind === 'map') return [parameter(range, 0), parameter(range, 1)];
    if (isDynOrError(range) || range.kind === 'param') {
      assign(DYN, range);
      return [DYN, DYN];
    }
    fail(
      node.range.at,
      `expression of type '${printType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    );
    return [ERROR, ERROR];
  }

  function assertType(node: Expr, wanted: CelType): void {
    if (!assign(wanted, typeOfNode(node))) mismatch(node.at, wanted, typeOfNode(node));
  }

  visit(expr);
  if (issues.length > 0) return { ok: false, issues };
  const final = types.map((type) => type && substitute(known, type, true));
  return { ok: true, checked: { type: final[expr.id] ?? DYN, types: final, references } };
}

interface Resolution {
  readonly type: CelType;
  readonly ids: readonly string[];
}

function literalType(value: Literal): CelType {
  if (value === null) return NULL;
  if (typeof value === 'object') return value instanceof CelUint ? UINT : BYTES;
  if (typeof value === 'boolean') return BOOL;
  if (typeof value === 'bigint') return INT;
  return typeof value === 'number' ? DOUBLE : STRING;
}
