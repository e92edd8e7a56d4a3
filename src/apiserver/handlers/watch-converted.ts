/** Watches that must wait for a conversion before they can begin, and the error where no webhook converts. */
import { internalError, type StatusError } from '../../core/kube/status-error.ts';
import type { HandlerContext } from './steps/context.ts';
import { watch } from './watch.ts';
import type { WatchHandle, WatchRequest, WatchSink } from '../contract/request.ts';
import { ConversionPending, type ConvertObjects, withConversions } from '../custom/conversion.ts';

export const noConversionWebhooks: ConvertObjects = (kind) =>
  Promise.reject(internalError(`conversion webhook for ${kind.kind}.${kind.group} cannot be reached from here`));

/** Begins at once where possible; otherwise as soon as the initial state is converted. */
export function watchConverted(
  context: HandlerContext,
  request: WatchRequest,
  sink: WatchSink,
  failure: (error: unknown) => StatusError,
): WatchHandle {
  try {
    return watch(context, request, sink);
  } catch (error) {
    if (!(error instanceof ConversionPending)) throw error;
    return watchLater(context, request, sink, failure, error.ready);
  }
}

function watchLater(
  context: HandlerContext,
  request: WatchRequest,
  sink: WatchSink,
  failure: (error: unknown) => StatusError,
  ready: Promise<unknown>,
): WatchHandle {
  let handle: WatchHandle | undefined;
  let stopped = false;
  ready
    .then(() =>
      withConversions(() => {
        if (!stopped) handle = watch(context, request, sink);
      }),
    )
    .catch((error: unknown) => {
      if (!stopped) sink.ended(failure(error));
    });
  return {
    stop() {
      stopped = true;
      handle?.stop();
    },
  };
}
