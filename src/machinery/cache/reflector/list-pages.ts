/** Reads the whole state of a resource in pages of one revision. */
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import { retryAfterBackoff, type Reflection } from './reflection.ts';
import { isExpired, isTooNew } from './reflector-errors.ts';
import { afterExpiredPage, type Paging, type Position, type ReflectorState } from './reflector-state.ts';

/** After pages expired midway, the second list asks for pages this many times as large, to be done sooner. */
const LARGER = 10;

/** Reads one page and adds it to `gathered`; returns the position that follows. */
export async function readPage<T extends KubeObject>(
  reflection: Reflection<T>,
  paging: Paging,
  gathered: Stored<T>[],
  continueToken: string,
  signal: AbortSignal,
): Promise<Position<T>> {
  const { client, resource, scope, pageSize, intern, state } = reflection;
  try {
    const page = await client.list(resource, {
      ...scope,
      signal,
      ...(paging === 'whole' ? {} : { limit: paging === 'restarted' ? LARGER * pageSize : pageSize }),
      // A token carries its own version.
      ...(continueToken === '' ? fromVersion(state) : { continue: continueToken }),
    });
    // One by one: spreading a large page would overflow the stack.
    for (const item of page.items) gathered.push(intern(item));
    return page.continue === undefined || page.continue === ''
      ? { phase: 'listed', items: gathered, resourceVersion: page.resourceVersion }
      : { phase: 'listing', paging, gathered, continue: page.continue };
  } catch (error) {
    if (continueToken !== '' && isExpired(error)) return { phase: 'empty', paging: afterExpiredPage(paging) };
    if (!state.mustBeLatest && (isExpired(error) || isTooNew(error))) {
      state.mustBeLatest = true;
      return { phase: 'empty', paging };
    }
    // The pages so far are still good: the server judges by the token whether they can be continued.
    return retryAfterBackoff(
      reflection,
      error,
      continueToken === ''
        ? { phase: 'empty', paging }
        : { phase: 'listing', paging, gathered, continue: continueToken },
    );
  }
}

const fromVersion = <T extends KubeObject>({
  mustBeLatest,
  lastVersion,
}: ReflectorState<T>): { readonly resourceVersion?: string } =>
  mustBeLatest ? {} : { resourceVersion: lastVersion === '' ? '0' : lastVersion };
