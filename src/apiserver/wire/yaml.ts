/**
 * YAML request bodies. Small ones are parsed at once, the rest by threads of their own: some for texts that are read in a
 * moment, others for large ones, so that nothing small waits behind something large. In each lane users take turns and
 * have one text under way; what waits is bounded for each user and for all together, and leaves with its request.
 */
import { tooManyRequests } from '../../core/kube/status-error.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import { parseYaml, type ParsedYaml } from './parse-yaml.ts';
import { createYamlReader, parsedYaml, type ReadYaml, type YamlReader } from './yaml-reader.ts';

/** The user of a request with a YAML body, and the end of the request. */
export interface YamlAsker {
  readonly user: string;
  /** Fires when the request is over. */
  readonly signal: AbortSignal;
  /** Asked before the main thread works on the text: undefined at once, otherwise when it resolves. */
  turn(): Promise<void> | undefined;
}

export interface YamlBodies {
  /** Rejects with a `SyntaxError` for what is no YAML, with a 429 when its user has too many waiting. */
  decode(text: string, asker: YamlAsker): Promise<ParsedYaml>;
  /**
   * Throws the 429 that `decode` would reject with now for a text of that length, so that the text need not be read.
   */
  admit(user: string, characters: number): void;
  /** Texts under way and waiting. */
  readonly open: number;
  close(): void;
}

/** A few milliseconds of parsing: more would be felt by everyone else. */
const INLINE_CHARACTERS = 4 * 1024;

export interface LaneLimits {
  /** Longer texts go to the next lane. */
  readonly characters: number;
  readonly readers: number;
  readonly heapMb: number;
  /** Texts that one user may have waiting. */
  readonly perUser: number;
}

const LANES: readonly LaneLimits[] = [
  { characters: 128 * 1024, readers: 1, heapMb: 64, perUser: 32 },
  { characters: Number.POSITIVE_INFINITY, readers: 2, heapMb: 256, perUser: 8 },
];

/** Characters of all waiting texts, of all users together. */
const MOST_WAITING_CHARACTERS = 64 * 1024 * 1024;
const TIME_LIMIT_MS = 20_000;
const IDLE_MS = 5000;
const RETRY_AFTER_SECONDS = 1;

export function createYamlBodies(clock: Clock, limits = LANES): YamlBodies {
  const waiting = { characters: 0 };
  const lanes = limits.map((lane) => createLane(lane, clock, waiting));
  return {
    admit(user, characters) {
      lanes.find((lane) => characters <= lane.characters)?.admit(user, characters);
    },
    async decode(text, asker) {
      if (text.length <= INLINE_CHARACTERS) {
        await asker.turn();
        return parseYaml(text);
      }
      const lane = lanes.find(({ characters }) => text.length <= characters);
      if (lane === undefined) throw new SyntaxError(`a YAML text of ${text.length} characters is too long`);
      const read = await lane.read(text, asker);
      await asker.turn();
      return parsedYaml(read);
    },
    get open() {
      return lanes.reduce((sum, lane) => sum + lane.open, 0);
    },
    close() {
      for (const lane of lanes) lane.close();
    },
  };
}

interface Waiting {
  readonly text: string;
  readonly asker: YamlAsker;
  begin(reader: YamlReader): void;
}

interface Lane {
  readonly characters: number;
  admit(user: string, characters: number): void;
  readonly open: number;
  read(text: string, asker: YamlAsker): Promise<ReadYaml>;
  close(): void;
}

function createLane(limits: LaneLimits, clock: Clock, all: { characters: number }): Lane {
  const readers: YamlReader[] = Array.from({ length: limits.readers }, () =>
    createYamlReader({ heapMb: limits.heapMb, timeMs: TIME_LIMIT_MS, idleMs: IDLE_MS }, clock),
  );
  const idle = [...readers];
  /** Users with a text under way; each has one. */
  const busy = new Set<string>();
  /** Waiting texts of each user, oldest first; the user whose turn it is comes first. */
  const queues = new Map<string, Waiting[]>();

  function next(): void {
    for (const [user, queue] of queues) {
      if (idle.length === 0) return;
      if (busy.has(user)) continue;
      const first = queue.shift();
      if (queue.length === 0) queues.delete(user);
      const reader = idle.pop();
      if (first === undefined || reader === undefined) continue;
      all.characters -= first.text.length;
      busy.add(user);
      first.begin(reader);
    }
  }

  /** A user who has had a turn comes after those who wait for one. */
  function goToTheEnd(user: string): void {
    const queue = queues.get(user);
    if (queue === undefined) return;
    queues.delete(user);
    queues.set(user, queue);
  }

  function admit(user: string, characters: number): void {
    const isFull =
      (queues.get(user)?.length ?? 0) >= limits.perUser || all.characters + characters > MOST_WAITING_CHARACTERS;
    if (isFull)
      throw tooManyRequests('too many YAML bodies are waiting to be read, please try again later', RETRY_AFTER_SECONDS);
  }

  function wait(text: string, asker: YamlAsker): Promise<YamlReader> {
    admit(asker.user, text.length);
    const queue = queues.get(asker.user) ?? [];
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        queue.splice(queue.indexOf(entry), 1);
        all.characters -= text.length;
        if (queue.length === 0) queues.delete(asker.user);
        reject(asker.signal.reason as Error);
      };
      const entry: Waiting = {
        text,
        asker,
        begin(reader) {
          asker.signal.removeEventListener('abort', abort);
          resolve(reader);
        },
      };
      asker.signal.addEventListener('abort', abort, { once: true });
      queue.push(entry);
      queues.set(asker.user, queue);
      all.characters += text.length;
      next();
    });
  }

  return {
    characters: limits.characters,
    admit,
    get open() {
      let count = busy.size;
      for (const queue of queues.values()) count += queue.length;
      return count;
    },
    async read(text, asker) {
      asker.signal.throwIfAborted();
      const reader = await wait(text, asker);
      try {
        // The request may have ended in the same moment.
        asker.signal.throwIfAborted();
        return await reader.read(text, asker.signal);
      } finally {
        busy.delete(asker.user);
        idle.push(reader);
        goToTheEnd(asker.user);
        next();
      }
    },
    close() {
      for (const reader of readers) reader.close();
    },
  };
}
