/** `kill -9` in the middle of writing, again and again on the same directory: what was answered must be there. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogEngine } from '../../../src/apiserver/store/engines/log/log-engine.ts';
import { openStore } from '../../../src/apiserver/store/store-over-engine.ts';
import { realClock } from '../../../src/machinery/time/real-clock.ts';
import type { Store } from '../../../src/apiserver/store/store.ts';
import { VICTIMS, isWhole, specOf } from './things.ts';

/** See docs/testing.md. */
const KILLS = Number(process.env['EVERYNODE_KILLS'] ?? 50);
const PATIENCE_MS = 120_000 + KILLS * 20_000;

interface Told {
  /** Newest answered change of a key: its revision, and its sequence number unless it was a removal. */
  readonly answered: Map<string, { revision: number; seq: number | undefined }>;
  /** Keys whose removal was begun and not answered. */
  readonly maybeGone: Set<string>;
  openedAt: number;
  newest: number;
}

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'everynode-kill-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Runs a writer, kills it some time after its first answer, and answers with what it told. */
function runAndKill(segmentBytes: string, afterMs: number, told: Told): Promise<void> {
  return new Promise((resolve, reject) => {
    const writer = new URL('writer.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [writer, directory, segmentBytes], { stdio: ['ignore', 'pipe', 'pipe'] });
    let errors = '';
    let killing = false;
    child.stderr.on('data', (text) => (errors += String(text)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      record(told, line);
      if (killing || line.startsWith('open')) return;
      killing = true;
      setTimeout(() => child.kill('SIGKILL'), afterMs);
    });
    child.on('close', (_code, signal) => {
      if (signal === 'SIGKILL') resolve();
      else reject(new Error(`the writer ended by itself: ${errors}`));
    });
  });
}

function record(told: Told, line: string): void {
  const [what, key = '', revision = '', seq] = line.split(' ');
  if (what === 'open') told.openedAt = Number(key);
  if (what === 'delete') told.maybeGone.add(key);
  if (what !== 'put' && what !== 'gone') return;
  told.newest = Math.max(told.newest, Number(revision));
  const before = told.answered.get(key)?.revision ?? 0;
  if (Number(revision) > before) {
    told.answered.set(key, { revision: Number(revision), seq: seq === undefined ? undefined : Number(seq) });
  }
}

/** Everything that is wrong with the store, given what was told; empty when all is well. */
function findLosses(store: Store, told: Told): string[] {
  const wrong: string[] = [];
  if (store.revision < told.newest) wrong.push(`revision ${store.revision} is behind answered ${told.newest}`);
  for (const [name, { revision, seq }] of told.answered) {
    const object = store.get({ ...VICTIMS, namespace: 'default', name });
    if (object === undefined) {
      if (seq !== undefined && !told.maybeGone.has(name)) wrong.push(`${name} of revision ${revision} is lost`);
    } else if (Number(object.metadata.resourceVersion) < revision) {
      wrong.push(`${name} is of revision ${object.metadata.resourceVersion}, answered was ${revision}`);
    } else if (Number(object.metadata.resourceVersion) === revision && specOf(object).seq !== seq) {
      wrong.push(`${name} of revision ${revision} holds something else`);
    }
  }
  for (const object of store.list(VICTIMS)) if (!isWhole(object)) wrong.push(`${object.metadata.name} is half written`);
  return wrong;
}

/** What a restart has shown, answered or not, was shown to everyone and may not change either. */
function adopt(store: Store, told: Told): void {
  told.newest = store.revision;
  for (const name of told.answered.keys()) told.answered.set(name, { revision: store.revision, seq: undefined });
  for (const object of store.list(VICTIMS)) {
    const revision = Number(object.metadata.resourceVersion);
    told.answered.set(object.metadata.name ?? '', { revision, seq: specOf(object).seq });
  }
}

const open = async (): Promise<Store> => openStore({ clock: realClock, engine: await createLogEngine({ directory }) });

describe('kill -9 under a write load', () => {
  it(
    `loses no answered write in ${KILLS} kills, and revisions only grow`,
    async () => {
      const told: Told = { answered: new Map(), maybeGone: new Set(), openedAt: 0, newest: 0 };
      let answers = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        told.maybeGone.clear();
        const revisionBefore = told.newest;
        // Every third run rotates and merges segments all the time, so that kills fall into that as well.
        await runAndKill(kill % 3 === 0 ? '20000' : '', 5 + ((kill * 37) % 120), told);
        expect(told.openedAt).toBeGreaterThanOrEqual(revisionBefore);
        const store = await open();
        expect(findLosses(store, told)).toEqual([]);
        expect(() => store.watch(VICTIMS, { since: store.revision - 1 }, deaf)).toThrow('too old resource version');
        store.watch(VICTIMS, { since: store.revision }, deaf).stop();
        answers += told.newest - revisionBefore;
        adopt(store, told);
        await store.close();
      }
      expect(answers).toBeGreaterThan(KILLS);
      process.stderr.write(`${KILLS} kills of a writer: ${answers} answered writes, all there\n`);
    },
    PATIENCE_MS,
  );
});

const deaf = { events: () => undefined, closed: () => undefined };
