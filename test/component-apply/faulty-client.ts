/** A client whose writes can be counted, and made to fail before or after they took effect. */
import { StatusError } from '../../src/core/kube/status-error.ts';
import { abortError } from '../../src/machinery/time/abort.ts';
import type { Client } from '../../src/machinery/client/client.ts';

export type Moment = 'before' | 'after';

export interface Writes {
  readonly client: Client;
  /** Each write that came, as `verb resource name`. */
  readonly seen: string[];
}

type Decide = (index: number, write: string) => { readonly moment: Moment; readonly error: Error } | undefined;

/** `around` is asked for every write (dry runs are none); what it names goes wrong. */
export function faulty(client: Client, around: Decide, between?: (index: number) => Promise<void>): Writes {
  const seen: string[] = [];
  const guard = async <T>(write: string, isDry: boolean | undefined, run: () => Promise<T>): Promise<T> => {
    if (isDry === true) return run();
    const index = seen.length;
    seen.push(write);
    const fault = around(index, write);
    if (fault?.moment === 'before') throw fault.error;
    const answer = await run();
    await between?.(index);
    if (fault?.moment === 'after') throw fault.error;
    return answer;
  };
  return {
    seen,
    client: {
      ...client,
      create: (resource, object, options) =>
        guard(`create ${resource.resource} ${object.metadata.name}`, options?.dryRun, () =>
          client.create(resource, object, options),
        ),
      update: (resource, object, options) =>
        guard(`update ${resource.resource} ${object.metadata.name}`, options?.dryRun, () =>
          client.update(resource, object, options),
        ),
      patch: (resource, key, patch, options) =>
        guard(`patch ${resource.resource} ${key.name}`, options?.dryRun, () =>
          client.patch(resource, key, patch, options),
        ),
      apply: (resource, object, options) =>
        guard(`apply ${resource.resource} ${object.metadata.name}`, options.dryRun, () =>
          client.apply(resource, object, options),
        ),
      delete: (resource, key, options) =>
        guard(`delete ${resource.resource} ${key.name}`, options?.dryRun, () => client.delete(resource, key, options)),
    },
  };
}

/** Lets everything through, and counts. */
export const counting = (client: Client): Writes => faulty(client, () => undefined);

/** As if the process had been killed at this write: nothing more gets through. */
export function interrupted(client: Client, at: number, moment: Moment): Writes & { readonly signal: AbortSignal } {
  const stopping = new AbortController();
  const writes = faulty(client, (index) => {
    if (index < at) return undefined;
    stopping.abort(abortError());
    return { moment: index === at ? moment : 'before', error: abortError() };
  });
  return { ...writes, signal: stopping.signal };
}

/** Every write fails once in this way, and is let through when it is repeated. */
export function stumbling(client: Client, moment: Moment): Writes {
  let isRepeat = false;
  return faulty(client, () => {
    isRepeat = !isRepeat;
    return isRepeat ? { moment, error: new StatusError(503, 'ServiceUnavailable', 'a moment, please') } : undefined;
  });
}
