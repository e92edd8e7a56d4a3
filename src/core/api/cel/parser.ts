/**
 * Expressions from text: recursive descent over the grammar of cel-go. After a mistake it goes on the way upstream's
 * generated parser does, so that the same mistakes are reported in the same words.
 */
import type { Entry, Expr, StructField } from './ast.ts';
import { RESERVED_WORDS } from './values/escape.ts';
import { expectingText, OPERATORS, PRODUCTS, RELATIONS, START, STARTS, SUMS } from './grammar.ts';
import { tokenize, type Token, type TokenType } from './lexer.ts';
import { readLiteral } from './literals.ts';
import { expandMacro } from './macros.ts';
import { nodeFactory, TooManyNodes } from './nodes.ts';
import { codePointLength, NOWHERE } from './values/source.ts';

export interface ParseIssue {
  readonly at: number;
  readonly message: string;
}

export type Parsed =
  | { readonly ok: true; readonly expr: Expr; readonly nodes: number }
  | { readonly ok: false; readonly issues: readonly ParseIssue[] };

const MAX_CODE_POINTS = 100_000;
const MAX_DEPTH = 250;
const MAX_SYNTAX_ERRORS = 100;
const MAX_RECOVERIES = 30;
const MAX_SKIPPED = 256;

/** Ends parsing at once; the issue has been reported. */
class Abandon extends Error {}

export function parse(source: string): Parsed {
  const length = codePointLength(source);
  if (length > MAX_CODE_POINTS) {
    const message = `expression code point size exceeds limit: size: ${length}, limit ${MAX_CODE_POINTS}`;
    return { ok: false, issues: [{ at: NOWHERE, message }] };
  }
  const issues: ParseIssue[] = [];
  try {
    const { expr, nodes } = makeParser(source, issues)();
    return issues.length === 0 ? { ok: true, expr, nodes } : { ok: false, issues };
  } catch (error) {
    if (error instanceof TooManyNodes) issues.push({ at: NOWHERE, message: error.message });
    else if (!(error instanceof Abandon)) throw error;
    return { ok: false, issues };
  }
}

function makeParser(source: string, issues: ParseIssue[]): () => { expr: Expr; nodes: number } {
  const make = nodeFactory();
  let syntaxErrors = 0;
  const syntaxError = (at: number, message: string): void => {
    if (syntaxErrors++ < MAX_SYNTAX_ERRORS) {
      issues.push({ at, message: `Syntax error: ${message}` });
      return;
    }
    issues.push({ at, message: `Syntax error: More than ${MAX_SYNTAX_ERRORS} syntax errors` });
    throw new Abandon();
  };
  const tokens = tokenize(source, ({ at, message }) => syntaxError(at, message));
  const end = tokens[tokens.length - 1] as Token;

  let position = 0;
  /** After a mistake nothing is reported until a token fits again. */
  let recovering = false;
  let recoveries = 0;
  let nesting = 0;
  /** Tokens that may follow the open constructs. */
  const following: TokenType[][] = [['<EOF>']];
  /** Nesting depth of each node's operators; a chain is as deep as it is long. */
  const depths = new Map<number, number>();

  const token = (ahead = 0): Token => tokens[position + ahead] ?? end;
  const peek = (ahead = 0): TokenType => token(ahead).type;

  const reportAt = (at: number, message: string): void => {
    issues.push({ at, message });
  };

  function report(at: number, message: string): void {
    if (recovering) return;
    recovering = true;
    syntaxError(at, message);
  }

  function advance(): Token {
    const current = token();
    if (position < tokens.length - 1) position++;
    recovering = false;
    return current;
  }

  const mayFollow = (type: TokenType): boolean => OPERATORS.has(type) || following.some((set) => set.includes(type));

  function countRecovery(): void {
    if (recoveries++ < MAX_RECOVERIES) return;
    syntaxError(token().at, `error recovery attempt limit exceeded: ${MAX_RECOVERIES}`);
    throw new Abandon();
  }

  /** Skips tokens up to one that may follow. Operators count only where an operand may stand in front of them. */
  function skipToFollowing(operators = true): void {
    countRecovery();
    const stops = (type: TokenType): boolean =>
      operators ? mayFollow(type) : following.some((set) => set.includes(type));
    for (let skipped = 0; peek() !== '<EOF>' && !stops(peek()); skipped++) {
      if (skipped >= MAX_SKIPPED) {
        reportAt(NOWHERE, `error recovery token lookahead limit exceeded: ${MAX_SKIPPED}`);
        throw new Abandon();
      }
      position++;
    }
  }

  const placeholder = (at: number): Expr => make.literal(at, null);

  /** Reports the expected tokens; skips one token if an expected one follows. False if none does. */
  function repair(expected: readonly TokenType[]): boolean {
    const current = token();
    const helps = expected.includes(peek(1));
    report(
      current.at,
      `${helps ? 'extraneous' : 'mismatched'} input '${current.text}' expecting ${expectingText(expected)}`,
    );
    if (!helps) return false;
    countRecovery();
    position++;
    return true;
  }

  /** Takes the token; a missing one is reported and taken as present if the current token fits after it. */
  function expect(type: TokenType, fits: (next: TokenType) => boolean, operators = true): boolean {
    if (peek() === type) {
      advance();
      return true;
    }
    const current = token();
    if (peek(1) === type) {
      repair([type]);
      advance();
      return true;
    }
    if (fits(current.type)) {
      countRecovery();
      report(current.at, `missing ${type} at '${current.text}'`);
      return true;
    }
    report(current.at, `mismatched input '${current.text}' expecting ${type}`);
    skipToFollowing(operators);
    return false;
  }

  function within<T>(follow: readonly TokenType[], parsePart: () => T): T {
    following.push([...follow]);
    const result = parsePart();
    following.pop();
    return result;
  }

  const depthOf = (expr: Expr): number => depths.get(expr.id) ?? 0;

  /** Records the depth of an operator; chains of operators nest as parentheses do. */
  function deepen<T extends Expr>(expr: T, parts: readonly Expr[], own = 1): T {
    const depth = own + Math.max(0, ...parts.map(depthOf));
    if (depth > MAX_DEPTH) {
      reportAt(NOWHERE, 'max recursion depth exceeded');
      throw new Abandon();
    }
    depths.set(expr.id, depth);
    return expr;
  }

  function callOrMacro(at: number, name: string, target: Expr | undefined, args: readonly Expr[]): Expr {
    const expanded = expandMacro(make, at, name, target, args);
    if (!expanded) return make.call(at, name, args, target);
    if ('expr' in expanded) return expanded.expr;
    reportAt(expanded.at, expanded.error);
    return placeholder(at);
  }

  function expression(): Expr {
    if (++nesting > MAX_DEPTH) {
      reportAt(NOWHERE, `expression recursion limit exceeded: ${MAX_DEPTH}`);
      throw new Abandon();
    }
    const condition = disjunction();
    let result = condition;
    if (peek() === "'?'") {
      const { at } = advance();
      const yes = within(["':'"], disjunction);
      if (expect("':'", (next) => STARTS.has(next), nesting > 1)) {
        const no = expression();
        result = deepen(make.call(at, '_?_:_', [condition, yes, no]), [condition, yes, no]);
      }
    }
    nesting--;
    return result;
  }

  /** Terms joined by one operator become a balanced tree: order of evaluation stays, depth does not grow. */
  function joined(operator: TokenType, name: string, part: () => Expr): Expr {
    const terms = [part()];
    const places: number[] = [];
    while (peek() === operator) {
      places.push(advance().at);
      terms.push(part());
    }
    const build = (low: number, high: number): Expr => {
      const middle = Math.floor((low + high + 1) / 2);
      const left = middle === low ? (terms[middle] as Expr) : build(low, middle - 1);
      const right = middle === high ? (terms[middle + 1] as Expr) : build(middle + 1, high);
      return deepen(make.call(places[middle] ?? 0, name, [left, right]), [left, right], 0);
    };
    return terms.length === 1 ? (terms[0] as Expr) : build(0, places.length - 1);
  }

  const disjunction = (): Expr => joined("'||'", '_||_', conjunction);
  const conjunction = (): Expr => joined("'&&'", '_&&_', relation);

  function chain(operators: ReadonlyMap<TokenType, string>, part: () => Expr): Expr {
    let left = part();
    for (let name = operators.get(peek()); name !== undefined; name = operators.get(peek())) {
      const { at } = advance();
      const right = part();
      left = deepen(make.call(at, name, [left, right]), [left, right]);
    }
    return left;
  }

  const relation = (): Expr => chain(RELATIONS, sum);
  const sum = (): Expr => chain(SUMS, product);
  const product = (): Expr => chain(PRODUCTS, unary);

  function unary(): Expr {
    if (peek() === "'!'") return repeated("'!'", '!_');
    if (peek() !== "'-'") return member();
    // A sign directly before a number belongs to the number, unless there are several.
    if (peek(1) === 'NUM_INT' || peek(1) === 'NUM_FLOAT') return member();
    return repeated("'-'", '-_');
  }

  function repeated(operator: TokenType, name: string): Expr {
    const { at } = token();
    let count = 0;
    let text = '';
    while (peek() === operator) {
      text = advance().text;
      count++;
    }
    if (peek() === '<EOF>' && operator === "'!'") {
      report(token().at, `extraneous input '<EOF>' expecting ${expectingText(START)}`);
      return placeholder(at);
    }
    if (operator === "'-'" && !STARTS.has(peek())) {
      syntaxError(token().at, `no viable alternative at input '${text}${peek() === '<EOF>' ? '' : token().text}'`);
    }
    const operand = member();
    return count % 2 === 0 ? operand : deepen(make.call(at, name, [operand]), [operand], 0);
  }

  function member(): Expr {
    let operand = primary();
    for (;;) {
      if (peek() === "'.'") {
        const selected = selection(operand);
        if (!selected) return operand;
        operand = selected;
      } else if (peek() === "'['") operand = index(operand);
      else return operand;
    }
  }

  function selection(operand: Expr): Expr | undefined {
    const dot = advance();
    const optional = peek() === "'?'";
    if (optional) advance();
    const name = token();
    if (name.type !== 'IDENTIFIER' && name.type !== 'ESC_IDENTIFIER') {
      noName(dot.at, name);
      return undefined;
    }
    advance();
    if (name.type === 'IDENTIFIER' && !optional && peek() === "'('") {
      const { at } = token();
      const args = callArguments();
      return deepen(callOrMacro(at, name.text, operand, args), [operand, ...args]);
    }
    const field = fieldName(name);
    if (!optional) return deepen(make.select(dot.at, operand, field), [operand]);
    return deepen(make.call(dot.at, '_?._', [operand, make.literal(name.at, field)]), [operand]);
  }

  /** Quoted names are read and refused: Kubernetes does not turn them on. */
  function fieldName({ type, text, at }: Token): string {
    if (type !== 'ESC_IDENTIFIER') return text;
    reportAt(at, "unsupported syntax: '`'");
    return text.slice(1, -1);
  }

  function noName(from: number, name: Token): void {
    const text = name.type === '<EOF>' ? '' : name.text;
    const input = source.slice(from, name.type === '<EOF>' ? from + 1 : name.at + name.text.length);
    const reserved = input === `.${text}` && /^(?:true|false|null)$/.test(text);
    report(
      name.at,
      reserved ? `mismatched input '${text}' expecting IDENTIFIER` : `no viable alternative at input '${input}'`,
    );
    skipToFollowing();
  }

  function index(operand: Expr): Expr {
    const { at } = advance();
    const optional = peek() === "'?'";
    if (optional) advance();
    const key = within(["']'"], () => started(optional ? [] : ["'?'"]));
    expect("']'", mayFollow);
    return deepen(make.call(at, optional ? '_[?_]' : '_[_]', [operand, key]), [operand, key]);
  }

  /** An expression at a place where one of `alternatives` could have stood as well. */
  function started(alternatives: readonly TokenType[]): Expr {
    const { at } = token();
    if (STARTS.has(peek()) || repair([...START, ...alternatives])) return expression();
    skipToFollowing();
    return placeholder(at);
  }

  function callArguments(): readonly Expr[] {
    advance();
    if (peek() === "')'") {
      advance();
      return [];
    }
    const args = within(["')'", "','"], () => {
      const list = [started(["')'"])];
      while (peek() === "','") {
        advance();
        list.push(expression());
      }
      return list;
    });
    expect("')'", mayFollow);
    return args;
  }

  function primary(): Expr {
    const sign = peek() === "'-'" && peek(1) !== 'NUM_INT' && peek(1) !== 'NUM_FLOAT';
    if (sign) {
      report(token(1).at, `no viable alternative at input '-${peek(1) === '<EOF>' ? '' : token(1).text}'`);
      skipToFollowing();
      return placeholder(token().at);
    }
    if (!STARTS.has(peek()) || peek() === "'!'") {
      const { at } = token();
      if (!repair(START)) {
        skipToFollowing();
        return placeholder(at);
      }
    }
    const type = peek();
    if (type === "'('") return nested();
    if (type === "'['") return list();
    if (type === "'{'") return map();
    return type === "'.'" || type === 'IDENTIFIER' ? named() : literal();
  }

  function nested(): Expr {
    advance();
    const inner = within(["')'"], expression);
    expect("')'", mayFollow);
    return inner;
  }

  function list(): Expr {
    const { at } = advance();
    const elements: Expr[] = [];
    const optionals = new Set<number>();
    within(["']'", "','"], () => {
      if (peek() === "']'" || peek() === "','") return;
      do {
        if (elements.length > 0) advance();
        if (peek() === "'?'") {
          optionals.add(elements.length);
          advance();
        }
        elements.push(elements.length === 0 ? started(["']'", "','", "'?'"]) : expression());
      } while (peek() === "','" && (STARTS.has(peek(1)) || peek(1) === "'?'"));
    });
    closeCollection("']'");
    return deepen(make.list(at, elements, optionals), elements, 0);
  }

  /** A trailing comma is allowed before the end of a list, map or message. */
  function closeCollection(close: TokenType): void {
    if (peek() === "','") {
      advance();
      expect(close, mayFollow);
      return;
    }
    if (peek() === close) advance();
    else if (repair([close, "','"])) closeCollection(close);
    else skipToFollowing();
  }

  function map(): Expr {
    const { at } = advance();
    const entries: Entry[] = [];
    within(["'}'", "','"], () => {
      if (peek() === "'}'" || peek() === "','") return;
      do {
        if (entries.length > 0) advance();
        const optional = peek() === "'?'";
        if (optional) advance();
        const key = within(["':'"], () => (entries.length === 0 ? started(["'}'", "','", "'?'"]) : expression()));
        if (!expect("':'", (next) => STARTS.has(next))) return;
        entries.push({ key, value: expression(), optional });
      } while (peek() === "','" && (STARTS.has(peek(1)) || peek(1) === "'?'"));
    });
    closeCollection("'}'");
    const parts = entries.flatMap(({ key, value }) => [key, value]);
    return deepen(make.map(at, entries), parts, 0);
  }

  /** Tokens of the dotted name in front of `{`, if one stands here. */
  function messageNameLength(): number {
    let ahead = peek() === "'.'" ? 1 : 0;
    for (;;) {
      if (peek(ahead) !== 'IDENTIFIER') return 0;
      ahead++;
      if (peek(ahead) === "'{'") return ahead;
      if (peek(ahead) !== "'.'") return 0;
      ahead++;
    }
  }

  function named(): Expr {
    const messageName = messageNameLength();
    if (messageName > 0) return message(messageName);
    const dot = peek() === "'.'" ? advance() : undefined;
    const name = token();
    if (name.type !== 'IDENTIFIER') {
      noName(dot?.at ?? name.at, name);
      return placeholder(name.at);
    }
    advance();
    const isCall = peek() === "'('";
    const { at } = token();
    const args = isCall ? callArguments() : [];
    if (RESERVED_WORDS.has(name.text)) {
      reportAt(dot?.at ?? name.at, `reserved identifier: ${name.text}`);
      return placeholder(name.at);
    }
    const text = dot ? `.${name.text}` : name.text;
    if (!isCall) return make.ident(name.at, text);
    return deepen(callOrMacro(at, text, undefined, args), args, 0);
  }

  function message(nameLength: number): Expr {
    const name = tokens
      .slice(position, position + nameLength)
      .map(({ text }) => text)
      .join('');
    position += nameLength;
    const { at } = advance();
    const fields: StructField[] = [];
    within(["'}'", "','"], () => {
      while (peek() !== "'}'" && peek() !== "','") {
        const optional = peek() === "'?'";
        if (optional) advance();
        const field = token();
        if (field.type !== 'IDENTIFIER' && field.type !== 'ESC_IDENTIFIER') {
          repair(["'}'", "','", "'?'", 'IDENTIFIER', 'ESC_IDENTIFIER']);
          return;
        }
        advance();
        const colon = token();
        if (!expect("':'", (next) => STARTS.has(next))) return;
        fields.push(make.field(colon.at, fieldName(field), expression(), optional));
        if (peek() !== "','" || peek(1) === "'}'") return;
        advance();
      }
    });
    closeCollection("'}'");
    const parts = fields.map(({ value }) => value);
    return deepen(make.struct(at, name, fields), parts, 0);
  }

  function literal(): Expr {
    const first = advance();
    const negative = first.type === "'-'";
    const { type, text } = negative ? advance() : first;
    const read = readLiteral(type, text, negative);
    if ('value' in read) return make.literal(first.at, read.value);
    reportAt(first.at, read.error);
    return placeholder(first.at);
  }

  return () => {
    const expr = expression();
    if (peek() !== '<EOF>') {
      if (!repair(['<EOF>'])) recovering = true;
    }
    return { expr, nodes: make.count() };
  };
}
