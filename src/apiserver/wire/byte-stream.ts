/**
 * Answers on their way to the network.
 *
 * Over HTTP/2 the bytes wait here, and Node gets one small piece of each stream at a time. Node counts every byte that it was
 * given and could not send yet against the whole connection (`maxSessionMemory`) and refuses new streams when that is used
 * up; the bytes of a stream that ends before they were sent stay counted for as long as the connection lives. With a piece
 * at a time, all streams of a connection together hold half of what it may hold, and a stream that is cut off costs a piece.
 */
import type { ServerResponse } from 'node:http';
import { constants, type Http2ServerResponse, type ServerHttp2Stream } from 'node:http2';

export interface ByteStream {
  /** Hands bytes over; never waits. Look at `buffered` to see whether the client keeps up. `sent` says they may change. */
  write(bytes: Buffer, sent?: () => void): void;
  /** Bytes handed over and not yet taken by the network. */
  readonly buffered: number;
  /** Resolves when the client has caught up, or the exchange is over. */
  drained(): Promise<void>;
  end(): void;
  /** Breaks the answer off, so that the client cannot take it for complete. */
  abort(): void;
  /** The connection, by identity: streams of one HTTP/2 session share it. */
  readonly connection: object;
}

/** As the exchange sees it. */
export interface OutgoingBytes extends ByteStream {
  /** The exchange is over: waiting bytes are dropped. Returns how many bytes the HTTP/2 session has lost for good. */
  closed(): number;
}

/** HTTP/2's word for an answer that will not be finished. */
export const CANCEL = constants.NGHTTP2_CANCEL;

/** Bytes of one stream that Node holds at a time: two frames. */
export const PIECE_BYTES = 32 * 1024;
/** `drained` waits while there is more than this. */
const ENOUGH_BYTES = 64 * 1024;

interface Waiting {
  bytes: Buffer;
  readonly sent: (() => void) | undefined;
}

/** An HTTP/2 stream that is given one piece at a time. */
class PiecewiseBytes implements OutgoingBytes {
  readonly connection: object;
  readonly #response: Http2ServerResponse;
  readonly #stream: ServerHttp2Stream;
  /** In order; those before `#first` are gone. */
  #queue: Waiting[] = [];
  #first = 0;
  /** Bytes of the queue from `#first` on. */
  #waiting = 0;
  /** Bytes that Node has and has not reported as sent. While above 0, nothing else is given to it. */
  #given = 0;
  /** Called when the piece that Node has is sent. */
  #given_sent: (() => void)[] = [];
  #isEnding = false;
  #isClosed = false;
  #wakers: (() => void)[] = [];

  constructor(response: Http2ServerResponse) {
    this.#response = response;
    this.#stream = response.stream;
    this.connection = this.#stream.session ?? this.#stream;
  }

  get buffered(): number {
    return this.#waiting + this.#given;
  }

  write(bytes: Buffer, sent?: () => void): void {
    // Also a HEAD request, whose stream ends with its headers.
    if (this.#isClosed || !this.#stream.writable) return;
    if (this.#given === 0 && bytes.length <= PIECE_BYTES) {
      this.#given = bytes.length;
      if (sent !== undefined) this.#given_sent.push(sent);
      this.#stream.write(bytes, this.#pieceSent);
      return;
    }
    this.#queue.push({ bytes, sent });
    this.#waiting += bytes.length;
    if (this.#given === 0) this.#givePiece();
  }

  drained(): Promise<void> {
    if (this.#isClosed || this.buffered <= ENOUGH_BYTES) return Promise.resolve();
    return new Promise((resolve) => this.#wakers.push(resolve));
  }

  end(): void {
    if (this.#isClosed) return;
    this.#isEnding = true;
    if (this.#waiting === 0) this.#response.end();
  }

  abort(): void {
    this.#drop();
    this.#stream.close(CANCEL);
  }

  closed(): number {
    const lost = this.#stream.writableFinished ? 0 : this.#given;
    this.#isClosed = true;
    this.#drop();
    this.#wake();
    return lost;
  }

  readonly #pieceSent = (error?: Error | null): void => {
    if (error !== null && error !== undefined) return;
    this.#given = 0;
    for (const sent of this.#given_sent.splice(0)) sent();
    if (this.#waiting > 0) this.#givePiece();
    if (this.buffered <= ENOUGH_BYTES) this.#wake();
  };

  /** Several small buffers go as one piece, uncopied. */
  #givePiece(): void {
    const stream = this.#stream;
    const piece: Buffer[] = [];
    while (this.#waiting > 0 && this.#given < PIECE_BYTES) {
      const next = this.#queue[this.#first] as Waiting;
      const bytes = next.bytes.subarray(0, PIECE_BYTES - this.#given);
      piece.push(bytes);
      this.#given += bytes.length;
      this.#waiting -= bytes.length;
      if (bytes.length < next.bytes.length) next.bytes = next.bytes.subarray(bytes.length);
      else {
        if (next.sent !== undefined) this.#given_sent.push(next.sent);
        this.#shift();
      }
    }
    const last = piece.pop();
    if (last === undefined) return;
    if (piece.length > 0) stream.cork();
    for (const bytes of piece) stream.write(bytes);
    stream.write(last, this.#pieceSent);
    if (piece.length > 0) stream.uncork();
    if (this.#isEnding && this.#waiting === 0) this.#response.end();
  }

  #shift(): void {
    this.#first += 1;
    if (this.#first === this.#queue.length) this.#queue = [];
    else if (this.#first < MANY_GONE) return;
    else this.#queue = this.#queue.slice(this.#first);
    this.#first = 0;
  }

  #drop(): void {
    this.#queue = [];
    this.#first = 0;
    this.#waiting = 0;
  }

  #wake(): void {
    for (const wake of this.#wakers.splice(0)) wake();
  }
}

/** The queue is shortened when this many of its entries are gone. */
const MANY_GONE = 256;

export const http2Bytes = (response: Http2ServerResponse): OutgoingBytes => new PiecewiseBytes(response);

/** HTTP/1.1: a connection has one answer at a time, and its bytes are gone with it. */
export function http1Bytes(response: ServerResponse): OutgoingBytes {
  let isClosed = false;
  return {
    connection: response.socket ?? response,
    write(bytes, sent) {
      if (isClosed) return;
      if (sent === undefined) response.write(bytes);
      else response.write(bytes, (error) => (error === null || error === undefined ? sent() : undefined));
    },
    get buffered() {
      return response.writableLength;
    },
    drained() {
      if (isClosed || !response.writableNeedDrain) return Promise.resolve();
      return new Promise((resolve) => {
        const done = (): void => {
          response.off('drain', done);
          response.off('close', done);
          resolve();
        };
        response.on('drain', done);
        response.on('close', done);
      });
    },
    end() {
      if (!isClosed) response.end();
    },
    abort: () => void response.destroy(),
    closed() {
      isClosed = true;
      return 0;
    },
  };
}
