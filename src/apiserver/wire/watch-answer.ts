/** A watch over HTTP: one frame an event, until the client leaves, the time is up, or it cannot keep up. */
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import type { WatchHandle, WatchRequest } from '../contract/request.ts';
import type { Exchange } from './exchange.ts';
import type { RequestPace } from './fair-work.ts';
import { errorFrame, frameWriter } from './frames.ts';
import { JSON_TYPE, type Accepted } from './negotiate.ts';
import type { WireContext } from './wire-context.ts';

/** A watcher this far behind is cut off: it resumes from its last revision, and our memory stays ours. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
/** Beyond this the initial state waits for its reader, and lets other requests have their turn. */
const ENOUGH_BUFFERED_BYTES = 1024 * 1024;

/** A client that left while its watch waited for a turn: the watch has been stopped. */
const isOver = (): void => {};

export function answerWatch(
  exchange: Exchange,
  kind: KindDefinition,
  request: WatchRequest,
  accepted: Accepted,
  includeObject: 'None' | 'Metadata' | 'Object',
  pace: RequestPace,
  context: WireContext,
): Promise<void> {
  const frame = frameWriter(kind, accepted, includeObject, context.encoded, () => context.clock.now());
  return new Promise((resolve) => {
    // Refusals at once (410, 403, a bad selector) throw here and become an ordinary error answer.
    const handle: WatchHandle = context.api.watch(request, {
      events(batch) {
        if (exchange.closed) return;
        if (batch.length === 1 && batch[0] !== undefined) stream.write(frame(batch[0]));
        else stream.write(Buffer.concat(batch.map(frame)));
        if (stream.buffered > MAX_BUFFERED_BYTES) cutOff();
        else context.unread.wrote(stream, cutOff);
      },
      readyForMore() {
        if (stream.buffered <= ENOUGH_BUFFERED_BYTES) return pace.turn()?.catch(isOver);
        return stream.drained().then(() => pace.turn()?.catch(isOver));
      },
      ended(error) {
        if (error !== undefined) stream.write(errorFrame(error.status));
        stream.end();
        finish();
      },
    });
    const stream = exchange.stream(
      200,
      accepted.as === '' ? JSON_TYPE : `${JSON_TYPE};as=${accepted.as};g=meta.k8s.io;v=${accepted.version}`,
    );
    const cutOff = (): void => {
      stream.abort();
      finish();
    };
    const finish = (): void => {
      context.unread.ended(stream);
      handle.stop();
      resolve();
    };
    exchange.signal.addEventListener('abort', () => {
      stream.end();
      finish();
    });
  });
}
