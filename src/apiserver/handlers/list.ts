/**
 * Lists, whole or in pages. All pages of one list show one revision; when that is gone, the error says how to go on.
 */
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { StatusError, badRequest, expired, isStatus } from '../../core/kube/status-error.ts';
import type { ApiList, ApiResponse, ListRequest, Pace } from '../contract/request.ts';
import type { StoreListOptions } from '../store/store.ts';
import { type HandlerContext, kindOf, requireVerb } from './steps/context.ts';
import { type ContinueToken, decodeContinue, encodeContinue } from './steps/continue-token.ts';
import { checkListOptions } from './steps/list-options.ts';
import { parseResourceVersion, tooLargeResourceVersion } from './steps/resource-version.ts';
import { type Selection, narrowedNamespace } from './steps/selection.ts';

const TOO_OLD = 'The resourceVersion for the provided list is too old.';
const CONTINUE_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

export function list(context: HandlerContext, request: ListRequest): ApiResponse | Promise<ApiResponse> {
  const kind = kindOf(context, request.target);
  requireVerb(kind, request.target.subresource, 'list');
  checkListOptions(request.options);
  const { pace } = request;
  if (pace === undefined) return { type: 'list', list: listObjects(context, kind, request) };
  const wait = pace.turn();
  const listed = wait === undefined ? listInTurns(context, kind, request, pace) : undefined;
  if (listed !== undefined && !(listed instanceof Promise)) return { type: 'list', list: listed };
  return listLater(listed ?? wait?.then(() => listInTurns(context, kind, request, pace)));
}

async function listLater(listed: Promise<ApiList> | undefined): Promise<ApiResponse> {
  return { type: 'list', list: (await listed) as ApiList };
}

type Listing = Pick<ListRequest, 'target' | 'options'>;

/** The list itself, also for handlers that act on everything a selection names. */
export function listObjects(context: HandlerContext, kind: KindDefinition, request: Listing): ApiList {
  const walk = beginWalk(context, kind, request);
  if ('items' in walk) return walk;
  return walk.finish(takeMatching(walk, walk.objects, []));
}

/** Like `listObjects`, but lets other requests have their turn; a promise only where that was necessary. */
function listInTurns(
  context: HandlerContext,
  kind: KindDefinition,
  request: Listing,
  pace: Pace,
): ApiList | Promise<ApiList> {
  const walk = beginWalk(context, kind, request);
  if ('items' in walk) return walk;
  const found = takeMatching(walk, walk.objects, [], pace);
  return found.wait === undefined ? walk.finish(found) : goOn(walk, found, pace);
}

async function goOn(walk: Walk, begun: Found, pace: Pace): Promise<ApiList> {
  // All items are of one revision, so the rest is copied before any other request has a turn.
  const rest = [...remaining(walk)].values();
  let found = begun;
  while (found.wait !== undefined) {
    await found.wait;
    found = takeMatching(walk, rest, found.items, pace);
  }
  return walk.finish(found);
}

const remaining = ({ objects }: Walk): Iterable<Stored> => ({ [Symbol.iterator]: () => objects });

/** A list under way: which objects are asked for, and what is made of those that were found. */
interface Walk {
  readonly objects: Iterator<Stored>;
  readonly selection: Selection;
  /** 0: all. */
  readonly limit: number;
  /** Puts the store's refusals into words for this list. */
  readonly failure: (error: unknown) => unknown;
  finish(found: Found): ApiList;
}

interface Found {
  readonly items: Stored[];
  /** There are more than were asked for. */
  readonly more: boolean;
  /** Set where other requests must have a turn before the walk goes on. */
  readonly wait?: Promise<void>;
}

/** Objects that are looked at between two looks at the clock. */
const BETWEEN_TURNS = 64;

function takeMatching(walk: Walk, objects: Iterator<Stored>, items: Stored[], pace?: Pace): Found {
  const { limit, selection } = walk;
  try {
    for (let looked = 1; ; looked += 1) {
      const next = objects.next();
      if (next.done === true) return { items, more: false };
      if (limit > 0 && items.length === limit) return { items, more: true };
      if (selection.everything || selection.matches(next.value)) items.push(next.value);
      if (pace === undefined || selection.everything || looked % BETWEEN_TURNS !== 0) continue;
      const wait = pace.turn();
      if (wait !== undefined) return { items, more: false, wait };
    }
  } catch (error) {
    throw walk.failure(error);
  }
}

/** A list that needs no walk is answered at once. */
function beginWalk(context: HandlerContext, kind: KindDefinition, { options, target }: Listing): Walk | ApiList {
  const selection = context.selections.compile(kind, options.labelSelector, options.fieldSelector);
  const namespace = kind.namespaced ? narrowedNamespace(selection, target.namespace) : '';
  const scoped = !kind.namespaced || target.namespace !== '';
  const token = options.continue ? decodeContinue(options.continue, scoped, target.namespace) : undefined;
  const revision = revisionToShow(context, options, token);
  const collection = { tenant: target.tenant, group: kind.group, resource: kind.resource };
  const current = context.store.revision;
  const shown = revision ?? current;

  const single = singleObject(context, kind, selection, target.tenant, namespace);
  if (single !== undefined && revision === undefined && token === undefined) {
    return { items: single.filter(selection.matches), resourceVersion: String(shown) };
  }

  const storeOptions: StoreListOptions = {
    ...(namespace === '' ? {} : { namespace }),
    ...(token === undefined ? {} : { after: { namespace: token.namespace, name: token.name } }),
    ...(revision === undefined || revision === current ? {} : { revision }),
  };
  const failure = (error: unknown): unknown => {
    if (!isStatus(error, 'Expired')) return error;
    return token === undefined ? expired(TOO_OLD) : expiredContinue({ ...token, revision: -1 }, scoped);
  };
  const limit = options.limit ?? 0;
  // Counted before any other request has a turn.
  const isNewest = limit > 0 && token === undefined && shown === current;
  const before = token?.remaining ?? (isNewest ? context.store.count(collection, namespace) : undefined);
  const finish = ({ items, more }: Found): ApiList => {
    const last = items.at(-1);
    if (!more || last === undefined) return { items, resourceVersion: String(shown) };
    const left = selection.everything && before !== undefined ? before - items.length : undefined;
    const next: ContinueToken = {
      revision: shown,
      namespace: last.metadata.namespace ?? '',
      name: last.metadata.name,
      ...(left === undefined ? {} : { remaining: left }),
    };
    return {
      items,
      resourceVersion: String(shown),
      continue: encodeContinue(next, scoped),
      ...(left === undefined ? {} : { remainingItemCount: left }),
    };
  };
  try {
    const objects = context.store.list(collection, storeOptions)[Symbol.iterator]();
    return { objects, selection, limit, failure, finish };
  } catch (error) {
    throw failure(error);
  }
}

/** A revision of the past, or `undefined` for the newest. */
function revisionToShow(
  context: HandlerContext,
  options: ListRequest['options'],
  token: ContinueToken | undefined,
): number | undefined {
  const version = options.resourceVersion ?? '';
  const current = context.store.revision;
  if (token !== undefined) {
    if (version !== '' && version !== '0') {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    if (token.revision > current) throw tooLargeResourceVersion(token.revision, current);
    return token.revision < 0 ? undefined : token.revision;
  }
  const wanted = parseResourceVersion(version);
  if (wanted > current) throw tooLargeResourceVersion(wanted, current);
  const exact = options.resourceVersionMatch === 'Exact';
  const legacyPaging = options.resourceVersionMatch === undefined && (options.limit ?? 0) > 0 && wanted > 0;
  return exact || legacyPaging ? wanted : undefined;
}

/** A selection that names one object needs no walk. */
function singleObject(
  context: HandlerContext,
  kind: KindDefinition,
  selection: Selection,
  tenant: string,
  namespace: string,
): readonly Stored[] | undefined {
  const { name } = selection;
  if (name === undefined || (kind.namespaced && namespace === '')) return undefined;
  const found = context.store.get({ tenant, group: kind.group, resource: kind.resource, namespace, name });
  return found === undefined ? [] : [found];
}

function expiredContinue(token: ContinueToken, scoped: boolean): StatusError {
  const error = expired(CONTINUE_TOO_OLD);
  const metadata = { continue: encodeContinue(token, scoped) };
  return Object.assign(error, { status: { ...error.status, metadata } });
}
