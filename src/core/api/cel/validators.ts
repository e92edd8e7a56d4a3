/** Checks beyond types: literals of durations, times and patterns, lists of one type, formats that fit their arguments. */
import { childrenOf, type CallExpr, type Expr, type ListExpr, type MapExpr } from './ast.ts';
import type { Checked } from './checker.ts';
import { convert } from './values/convert.ts';
import { CLAUSE_PROBLEMS, parseFormat, type Clause } from './library/format-text.ts';
import { compiledPattern } from './library/regex.ts';
import type { ParseIssue } from './parser.ts';
import { DYN, isOptional, parameter, printType, sameType, type CelType, type TypeKind } from './types.ts';
import { isError } from './values/values.ts';

/** Issues in the order of upstream's validators; the caller sorts them by place. */
export function validate(root: Expr, checked: Checked): readonly ParseIssue[] {
  const issues: ParseIssue[] = [];
  const typeOf = (node: Expr): CelType => checked.types[node.id] ?? DYN;

  function visit(node: Expr, withinFormat: boolean): void {
    let exempt = withinFormat;
    if (node.kind === 'call') {
      const name = functionName(node, checked);
      checkLiteral(node, name, issues);
      if (name === 'format' && node.target) checkFormat(node, typeOf, issues);
      // Arguments of a format may be of any types.
      exempt ||= name === 'format';
    } else if (!withinFormat && node.kind === 'list') checkList(node, typeOf, issues);
    else if (!withinFormat && node.kind === 'map') checkMap(node, typeOf, issues);
    for (const child of childrenOf(node)) visit(child, exempt);
  }

  visit(root, false);
  return issues;
}

function functionName(node: CallExpr, checked: Checked): string {
  const reference = checked.references[node.id];
  return reference?.kind === 'function' ? reference.name : node.name;
}

function checkLiteral(node: CallExpr, name: string, issues: ParseIssue[]): void {
  if (name !== 'duration' && name !== 'timestamp' && name !== 'matches') return;
  const [argument] = node.args;
  if (argument?.kind !== 'literal') return;
  const { value } = argument;
  const valid =
    name === 'matches'
      ? typeof value !== 'string' || 'pattern' in compiledPattern(value)
      : !isError(convert(value, name));
  if (!valid) issues.push({ at: argument.at, message: `invalid ${name} argument` });
}

type TypeOf = (node: Expr) => CelType;

const mismatch = (node: Expr, expected: CelType, found: CelType): ParseIssue => ({
  at: node.at,
  message: `expected type '${printType(expected)}' but found '${printType(found)}'`,
});

const unwrapped = (type: CelType, optional: boolean): CelType => (optional ? parameter(type, 0) : type);

function checkList(node: ListExpr, typeOf: TypeOf, issues: ParseIssue[]): void {
  let first: CelType | undefined;
  for (const [index, element] of node.elements.entries()) {
    const type = unwrapped(typeOf(element), node.optionals.has(index));
    first ??= type;
    if (sameType(first, type, false)) continue;
    issues.push(mismatch(element, first, type));
    return;
  }
}

function checkMap(node: MapExpr, typeOf: TypeOf, issues: ParseIssue[]): void {
  let keys: CelType | undefined;
  let values: CelType | undefined;
  for (const { key, value, optional } of node.entries) {
    const [keyType, valueType] = [typeOf(key), unwrapped(typeOf(value), optional)];
    keys ??= keyType;
    values ??= valueType;
    if (!sameType(keys, keyType, false)) issues.push(mismatch(key, keys, keyType));
    if (!sameType(values, valueType, false)) issues.push(mismatch(value, values, valueType));
  }
}

const INTEGERS: readonly TypeKind[] = ['int', 'uint'];
const ACCEPTED: { readonly [clause in Clause]: ReadonlySet<TypeKind> } = {
  s: new Set<TypeKind>([
    ...INTEGERS,
    ...(['list', 'map', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null_type'] as const),
  ]),
  d: new Set(INTEGERS),
  f: new Set<TypeKind>(['double', 'string']),
  e: new Set<TypeKind>(['double', 'string']),
  b: new Set<TypeKind>([...INTEGERS, 'bool']),
  x: new Set<TypeKind>([...INTEGERS, 'string', 'bytes']),
  X: new Set<TypeKind>([...INTEGERS, 'string', 'bytes']),
  o: new Set(INTEGERS),
};

function checkFormat(node: CallExpr, typeOf: TypeOf, issues: ParseIssue[]): void {
  const [list] = node.args;
  if (node.target?.kind !== 'literal' || typeof node.target.value !== 'string' || list?.kind !== 'list') return;
  let used = 0;
  for (const piece of parseFormat(node.target.value)) {
    if ('text' in piece) continue;
    used++;
    // Errors of the format itself are found before a missing argument.
    if ('problem' in piece && piece.problem === 'unexpected end of string') {
      issues.push({ at: node.at, message: piece.problem });
      return;
    }
    const argument = list.elements[used - 1];
    if (!argument) {
      issues.push({ at: node.at, message: `index ${used - 1} out of range` });
      return;
    }
    if ('problem' in piece) {
      issues.push({ at: node.at, message: piece.problem });
      return;
    }
    const bad = unfit(argument, piece.clause, typeOf);
    if (bad) {
      const message = `error during formatting: ${CLAUSE_PROBLEMS[piece.clause]}${typeOf(bad).name}`;
      issues.push({ at: bad.at, message });
      return;
    }
  }
  const given = list.elements.length;
  if (given > used) {
    const message = `too many arguments supplied to string.format (expected ${used}, got ${given})`;
    issues.push({ at: node.at, message });
  }
}

/** The argument, or the part of it, that the clause cannot print. */
function unfit(node: Expr, clause: Clause, typeOf: TypeOf): Expr | undefined {
  const type = typeOf(node);
  if (type.kind !== 'dyn' && !ACCEPTED[clause].has(type.kind)) return node;
  if (clause !== 's' || isOptional(type)) return undefined;
  if (node.kind !== 'list' && node.kind !== 'map') return undefined;
  for (const child of childrenOf(node)) {
    const bad = unfit(child, clause, typeOf);
    if (bad) return bad;
  }
  return undefined;
}
