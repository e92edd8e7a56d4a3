/** The body of a request, as long as it is not too long. */
import type { IncomingMessage } from 'node:http';

/**
 * Resolves to `undefined` when there is more than that. The rest is read and thrown away: a connection that ends with bytes
 * unread takes the answer with it. How long that may go on, the server says.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    request.resume();
    return Promise.resolve(undefined);
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        chunks.length = 0;
        resolve(undefined);
      } else {
        chunks.push(chunk);
      }
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the connection was closed before the request was complete')));
  });
}
