/**
 * JSON patch (RFC 6902) over immutable values, with the leniencies of the library Kubernetes uses: negative indices,
 * and `replace` of a member that is not there. What a patch does not touch is shared with the document.
 *
 * Each container on the way is copied once a patch, not once an operation, so ten thousand operations on one large map
 * stay linear. A container that this patch made is "ours" and may be written to until the result is handed out.
 */
import { atoi } from './go-text.ts';
import { deepEqual, ownMember, setOwn } from './immutable.ts';
import { encodeJson, type Json } from './json.ts';
import { MAX_REQUEST_BYTES } from './request-limit.ts';
import { badRequest, entityTooLarge, type StatusError } from './status-error.ts';
import { genericServerResponse } from './status-response.ts';

const MAX_JSON_PATCH_OPERATIONS = 10_000;
/** How many bytes `copy` may add in all; without a bound a few copies of copies fill the memory. */
export const MAX_JSON_PATCH_COPY_BYTES = MAX_REQUEST_BYTES;

/** How many list elements insertions and removals may shift in all; without a bound a long list makes them quadratic. */
const MAX_JSON_PATCH_SHIFTS = 200_000_000;

export interface JsonPatchOperation {
  readonly op?: Json;
  readonly path?: Json;
  readonly from?: Json;
  readonly value?: Json;
}

/**
 * The reason why an operation does not apply, in the words of upstream's library. Clients learn only that it did not.
 */
export class JsonPatchError extends Error {
  override readonly name = 'JsonPatchError';
  readonly code = 'EN_KUBE_JSON_PATCH';
}

/** A `test` operation failed: the document has another value at the path. */
export class JsonPatchTestFailed extends JsonPatchError {}

const jsonType = (value: Json): string => {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value;
};

/** Checks that a body is a patch. Throws a 400 or 413 `StatusError`. */
export function decodeJsonPatch(body: Json): readonly JsonPatchOperation[] {
  if (body === null) return [];
  if (!Array.isArray(body)) {
    throw badRequest(`json: cannot unmarshal ${jsonType(body)} into Go value of type jsonpatch.Patch`);
  }
  const operations: readonly Json[] = body;
  for (const operation of operations) {
    if (operation !== null && (typeof operation !== 'object' || Array.isArray(operation))) {
      throw badRequest(`json: cannot unmarshal ${jsonType(operation)} into Go value of type jsonpatch.Operation`);
    }
  }
  if (operations.length > MAX_JSON_PATCH_OPERATIONS) {
    throw entityTooLarge(
      `The allowed maximum operations in a JSON patch is ${MAX_JSON_PATCH_OPERATIONS}, got ${operations.length}`,
    );
  }
  return operations as readonly JsonPatchOperation[];
}

/** The answer to a patch that does not apply: 422, with the reason as its cause. */
export const jsonPatchFailure = (cause: JsonPatchError): StatusError => genericServerResponse(422, {}, { cause });

type MutableObject = { [key: string]: Json | undefined };
type Container = Json[] | MutableObject;

const isContainer = (value: Json | undefined): value is Container => typeof value === 'object' && value !== null;

/** Applies the operations in order, all or none. Throws `JsonPatchError`. */
export function applyJsonPatch(document: Json, operations: readonly JsonPatchOperation[]): Json {
  const state: PatchState = { root: document, ours: new Set(), copiedBytes: 0, shifts: 0 };
  for (const operation of operations) applyOperation(state, operation);
  return state.root;
}

interface PatchState {
  root: Json;
  /** Containers made by this patch that nothing outside it has seen. */
  readonly ours: Set<Container>;
  copiedBytes: number;
  shifts: number;
}

/** Everything behind the index moves by one. */
function shift(state: PatchState, list: readonly Json[], index: number): void {
  state.shifts += list.length - index;
  if (state.shifts > MAX_JSON_PATCH_SHIFTS) throw new JsonPatchError('the patch moves too many list elements');
}

function applyOperation(state: PatchState, operation: JsonPatchOperation | null): void {
  const op = operation === null ? undefined : ownMember(operation, 'op');
  switch (op) {
    case 'add':
      return add(state, pointerOf(operation, 'add'), valueOf(operation));
    case 'remove':
      return remove(state, pointerOf(operation, 'remove'));
    case 'replace':
      return replace(state, pointerOf(operation, 'replace'), operation);
    case 'move':
      return move(state, operation);
    case 'copy':
      return copy(state, operation);
    case 'test':
      return test(state, pointerOf(operation, 'test'), valueOf(operation));
    default:
      throw new JsonPatchError(`Unexpected kind: ${typeof op === 'string' ? op : 'unknown'}`);
  }
}

const valueOf = (operation: JsonPatchOperation | null): Json =>
  operation === null ? null : ((ownMember(operation, 'value') as Json | undefined) ?? null);

function textMember(operation: JsonPatchOperation | null, member: 'path' | 'from'): string | undefined {
  const text = operation === null ? undefined : ownMember(operation, member);
  return typeof text === 'string' ? text : undefined;
}

function pointerOf(operation: JsonPatchOperation | null, op: string): string {
  const path = textMember(operation, 'path');
  if (path !== undefined) return path;
  // Two of upstream's operations wrap the reason, the others replace it.
  const why = op === 'add' || op === 'remove' || op === 'copy' ? '' : 'operation missing path field: ';
  throw new JsonPatchError(`${op} operation failed to decode path: ${why}missing value`);
}

function sourceOf(operation: JsonPatchOperation | null, op: string): string {
  const from = textMember(operation, 'from');
  if (from !== undefined) return from;
  throw new JsonPatchError(`${op} operation failed to decode from: operation, missing from field: missing value`);
}

const decodeToken = (token: string): string =>
  token.includes('~') ? token.replace(/~1|~0/g, (escape) => (escape === '~1' ? '/' : '~')) : token;

/** Tokens of a pointer; `undefined` for the pointer to the whole document. Text before the first slash is ignored. */
function tokensOf(pointer: string): readonly string[] | undefined {
  const tokens = pointer.split('/');
  return tokens.length < 2 ? undefined : tokens.slice(1).map(decodeToken);
}

const INVALID_INDEX = 'invalid index referenced';

/** The position an index names; negative ones count from the end. Throws with upstream's reason. */
function indexIn(length: number, key: string): number {
  const parsed = atoi(key);
  if (!parsed.ok) throw new JsonPatchError(parsed.error);
  const index = Number(parsed.value);
  if (index >= length || index < -length) {
    throw new JsonPatchError(`Unable to access invalid index: ${parsed.value}: ${INVALID_INDEX}`);
  }
  return index < 0 ? index + length : index;
}

/** The value at a key: `null` when a member is absent, a throw when an index is. */
function getFrom(container: Container, key: string): Json {
  if (Array.isArray(container)) return container[indexIn(container.length, key)] ?? null;
  return (ownMember(container, key) as Json | undefined) ?? null;
}

/** The container that holds what the pointer names, for reading; `undefined` when the way there is missing. */
function parentOf(state: PatchState, tokens: readonly string[] | undefined): Container | undefined {
  if (tokens === undefined) return undefined;
  let at: Json = state.root;
  for (let i = 0; i < tokens.length - 1; i++) {
    if (!isContainer(at)) return undefined;
    try {
      at = getFrom(at, tokens[i] ?? '');
    } catch {
      return undefined;
    }
  }
  return isContainer(at) ? at : undefined;
}

/** A copy that this patch may write to; the container itself when it is ours already. */
function owned(state: PatchState, container: Container): Container {
  if (state.ours.has(container)) return container;
  const mine: Container = Array.isArray(container) ? container.slice() : { ...container };
  state.ours.add(mine);
  return mine;
}

/** As `parentOf`, for writing: everything on the way becomes ours. The way is known to exist. */
function ownParent(state: PatchState, tokens: readonly string[]): Container {
  let at = owned(state, state.root as Container);
  state.root = at as Json;
  for (let i = 0; i < tokens.length - 1; i++) {
    const token = tokens[i] ?? '';
    const next = owned(state, getFrom(at, token) as Container);
    if (Array.isArray(at)) at[indexIn(at.length, token)] = next as Json;
    else setOwn(at, token, next);
    at = next;
  }
  return at;
}

const lastOf = (tokens: readonly string[]): string => tokens.at(-1) ?? '';

/** Runs a step and puts upstream's context before its reason. */
function within<T>(context: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof JsonPatchError) throw new JsonPatchError(`${context}: ${error.message}`);
    throw error;
  }
}

function insert(state: PatchState, tokens: readonly string[], value: Json): void {
  const key = lastOf(tokens);
  const parent = parentOf(state, tokens);
  if (Array.isArray(parent)) {
    let index = parent.length;
    if (key !== '-') {
      const parsed = atoi(key);
      if (!parsed.ok) throw new JsonPatchError(`value was not a proper array index: '${key}': ${parsed.error}`);
      // `add` may append, so there is one place more than there are items; negative indices count from that place.
      index = indexIn(parent.length + 1, key);
    }
    shift(state, parent, index);
    (ownParent(state, tokens) as Json[]).splice(index, 0, value);
    return;
  }
  assignMember(state, tokens, value);
}

/** Sets a member of an object, unless it already has that value. */
function assignMember(state: PatchState, tokens: readonly string[], value: Json): void {
  const key = lastOf(tokens);
  const current = ownMember(parentOf(state, tokens) ?? {}, key);
  if (current !== undefined && deepEqual(current, value)) return;
  setOwn(ownParent(state, tokens), key, value);
}

function add(state: PatchState, path: string, value: Json): void {
  const tokens = tokensOf(path);
  if (tokens === undefined || parentOf(state, tokens) === undefined) {
    throw new JsonPatchError(`add operation does not apply: doc is missing path: "${path}": missing value`);
  }
  within(`error in add for path: '${path}'`, () => insert(state, tokens, value));
}

function erase(state: PatchState, tokens: readonly string[], parent: Container): void {
  const key = lastOf(tokens);
  if (Array.isArray(parent)) {
    const index = indexIn(parent.length, key);
    shift(state, parent, index);
    (ownParent(state, tokens) as Json[]).splice(index, 1);
  } else if (ownMember(parent, key) === undefined) {
    throw new JsonPatchError(`Unable to remove nonexistent key: ${key}: missing value`);
  } else {
    delete (ownParent(state, tokens) as MutableObject)[key];
  }
}

function remove(state: PatchState, path: string): void {
  const tokens = tokensOf(path);
  const parent = parentOf(state, tokens);
  if (tokens === undefined || parent === undefined) {
    throw new JsonPatchError(`remove operation does not apply: doc is missing path: "${path}": missing value`);
  }
  within(`error in remove for path: '${path}'`, () => erase(state, tokens, parent));
}

function replace(state: PatchState, path: string, operation: JsonPatchOperation | null): void {
  const value = valueOf(operation);
  if (path === '') {
    if (!isContainer(value)) throw new JsonPatchError('replace operation value must be object or array: %!w(<nil>)');
    if (!deepEqual(state.root, value)) state.root = value as Json;
    return;
  }
  const tokens = tokensOf(path);
  const parent = parentOf(state, tokens);
  if (tokens === undefined || parent === undefined) {
    throw new JsonPatchError(`replace operation does not apply: doc is missing path: ${path}: missing value`);
  }
  if (!Array.isArray(parent)) return assignMember(state, tokens, value);
  let index: number;
  try {
    index = indexIn(parent.length, lastOf(tokens));
  } catch {
    throw new JsonPatchError(`replace operation does not apply: doc is missing key: ${path}: missing value`);
  }
  if (!deepEqual(parent[index], value)) (ownParent(state, tokens) as Json[])[index] = value;
}

function move(state: PatchState, operation: JsonPatchOperation | null): void {
  const from = sourceOf(operation, 'move');
  const source = tokensOf(from);
  const parent = parentOf(state, source);
  if (source === undefined || parent === undefined) {
    throw new JsonPatchError(`move operation does not apply: doc is missing from path: ${from}: missing value`);
  }
  const value = within(`error in move for path: '${lastOf(source)}'`, () => {
    const found = getFrom(parent, lastOf(source));
    erase(state, source, parent);
    return found;
  });
  const path = pointerOf(operation, 'move');
  const target = tokensOf(path);
  if (target === undefined || parentOf(state, target) === undefined) {
    throw new JsonPatchError(`move operation does not apply: doc is missing destination path: ${path}: missing value`);
  }
  within(`error in move for path: '${path}'`, () => insert(state, target, value));
}

function copy(state: PatchState, operation: JsonPatchOperation | null): void {
  const from = sourceOf(operation, 'copy');
  const source = tokensOf(from);
  const parent = parentOf(state, source);
  if (source === undefined || parent === undefined) {
    throw new JsonPatchError(`copy operation does not apply: doc is missing from path: ${from}: missing value`);
  }
  const value = within(`error in copy for from: '${from}'`, () => getFrom(parent, lastOf(source)));
  const path = pointerOf(operation, 'copy');
  const target = tokensOf(path);
  if (target === undefined || parentOf(state, target) === undefined) {
    throw new JsonPatchError(`copy operation does not apply: doc is missing destination path: ${path}: missing value`);
  }
  state.copiedBytes += encodeJson(value).length;
  if (state.copiedBytes > MAX_JSON_PATCH_COPY_BYTES) {
    throw new JsonPatchError(
      `Unable to complete the copy, the accumulated size increase of copy is ${state.copiedBytes}, exceeding the limit ${MAX_JSON_PATCH_COPY_BYTES}`,
    );
  }
  disown(state, value);
  within('error while adding value during copy', () => insert(state, target, value));
}

/** A value in two places of the document is no longer ours: a write through one would change the other. */
function disown(state: PatchState, value: Json): void {
  if (!isContainer(value)) return;
  // Every container above one of ours is ours too, so a container that is not ours holds none of ours.
  if (!state.ours.delete(value)) return;
  for (const item of Array.isArray(value) ? value : Object.values(value)) disown(state, item ?? null);
}

function test(state: PatchState, path: string, expected: Json): void {
  const failed = new JsonPatchTestFailed(`testing value ${path} failed: test failed`);
  if (path === '') {
    if (deepEqual(state.root, expected)) return;
    throw failed;
  }
  const tokens = tokensOf(path);
  const parent = parentOf(state, tokens);
  if (tokens === undefined || parent === undefined) {
    throw new JsonPatchError(`test operation does not apply: is missing path: ${path}: missing value`);
  }
  const actual = within(`error in test for path: '${path}'`, () => getFrom(parent, lastOf(tokens)));
  if (!deepEqual(actual, expected)) throw failed;
}
