/** Lists, whole or in pages. All pages of one list show one revision; when that is gone, the client is told how to go on. */
import type { KindDefinition } from '../../core/api/kind-definition.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { StatusError, badRequest, expired, isStatus } from '../../core/kube/status-error.ts';
import type { ApiList, ApiResponse, ListRequest } from '../request.ts';
import type { StoreListOptions } from '../store/store.ts';
import { type HandlerContext, kindOf, requireVerb } from './context.ts';
import { type ContinueToken, decodeContinue, encodeContinue } from './continue-token.ts';
import { checkListOptions } from './list-options.ts';
import { parseResourceVersion, tooLargeResourceVersion } from './resource-version.ts';
import { type Selection, narrowedNamespace } from './selection.ts';

const TOO_OLD = 'The resourceVersion for the provided list is too old.';
const CONTINUE_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

export function list(context: HandlerContext, request: ListRequest): ApiResponse {
  const kind = kindOf(context, request.target);
  requireVerb(kind, request.target.subresource, 'list');
  checkListOptions(request.options);
  return { type: 'list', list: listObjects(context, kind, request) };
}

/** The list itself, also for handlers that act on everything a selection names. */
export function listObjects(
  context: HandlerContext,
  kind: KindDefinition,
  request: Pick<ListRequest, 'target' | 'options'>,
): ApiList {
  const { options, target } = request;
  const selection = context.selections.compile(kind, options.labelSelector, options.fieldSelector);
  const namespace = kind.namespaced ? narrowedNamespace(selection, target.namespace) : '';
  const scoped = !kind.namespaced || target.namespace !== '';
  const token = options.continue ? decodeContinue(options.continue, scoped, target.namespace) : undefined;
  const revision = revisionToShow(context, options, token);
  const limit = options.limit ?? 0;
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
  const items: Stored[] = [];
  let more = false;
  try {
    for (const object of context.store.list(collection, storeOptions)) {
      if (limit > 0 && items.length === limit) {
        more = true;
        break;
      }
      if (selection.everything || selection.matches(object)) items.push(object);
    }
  } catch (error) {
    if (!isStatus(error, 'Expired')) throw error;
    throw token === undefined ? expired(TOO_OLD) : expiredContinue({ ...token, revision: -1 }, scoped);
  }
  const last = items.at(-1);
  if (!more || last === undefined) return { items, resourceVersion: String(shown) };

  const before =
    token?.remaining ??
    (token === undefined && shown === current ? context.store.count(collection, namespace) : undefined);
  const remaining = selection.everything && before !== undefined ? before - items.length : undefined;
  const next: ContinueToken = {
    revision: shown,
    namespace: last.metadata.namespace ?? '',
    name: last.metadata.name,
    ...(remaining === undefined ? {} : { remaining }),
  };
  return {
    items,
    resourceVersion: String(shown),
    continue: encodeContinue(next, scoped),
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
  };
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
