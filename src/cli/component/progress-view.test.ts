import { describe, expect, it } from 'vitest';
import type { RolloutSnapshot } from '../../control/component/rollout/snapshot.ts';
import { createProgressView } from './progress-view.ts';
import { rolloutBlock, rolloutLine } from './rollout-text.ts';
import { colorsFor } from '../support/terminal.ts';
import { printable, table } from './text.ts';

const snapshot = (change: Partial<RolloutSnapshot> = {}): RolloutSnapshot => ({
  namespace: 'logging',
  name: 'agent',
  state: 'updating',
  message: '',
  desired: 10,
  updated: 4,
  ready: 8,
  available: 3,
  groups: [
    { group: 'gpu', desired: 2, updated: 2, ready: 2, available: 2 },
    { group: 'web', desired: 8, updated: 2, ready: 6, available: 1 },
  ],
  lagging: [],
  reasons: [
    { code: 'waiting', count: 6, node: 'web-1', message: 'its turn has not come' },
    { code: 'image', count: 1, node: 'web-7', message: 'container app: ErrImagePull \u001b[31mx\ny' },
  ],
  ...change,
});

function viewOn(isTTY: boolean, env: NodeJS.ProcessEnv = {}, size = { columns: 60, rows: 24 }) {
  let now = 0;
  const written = { out: '', err: '' };
  const view = createProgressView({
    clock: { monotonic: () => now },
    tellSteps: true,
    stdout: { write: (text: string | Uint8Array) => ((written.out += String(text)), true) },
    stderr: {
      isTTY,
      ...size,
      write: (text: string | Uint8Array) => ((written.err += String(text)), true),
    },
    env,
  });
  return { view, written, pass: (ms: number) => void (now += ms) };
}

describe('a rollout in words', () => {
  it('says in one line how far it is and what holds it up', () => {
    expect(rolloutLine(snapshot())).toBe(
      'logging/agent: 4 of 10 updated, 3 available; 6 nodes (web-1 and others): its turn has not come; web-7: container app: ErrImagePull \ufffd[31mx y',
    );
    expect(rolloutLine(snapshot({ state: 'complete', available: 10 }))).toBe(
      'logging/agent is rolled out: 10 nodes of 10',
    );
  });

  it('draws a bar for each group, the unfinished ones first, within the terminal', () => {
    const colors = colorsFor({});
    const lines = rolloutBlock(snapshot(), { rows: 24, columns: 70, colors });
    expect(lines.slice(0, 4)).toEqual([
      'logging/agent: 4 of 10 updated, 3 available',
      `  web  ${'█'.repeat(2)}${'▒'.repeat(3)}${'░'.repeat(15)} 2/8 updated, 1 available`,
      `  gpu  ${'█'.repeat(20)} 2/2 updated, 2 available`,
      '  6 nodes (web-1 and others): its turn has not come',
    ]);
    for (const line of rolloutBlock(snapshot(), { rows: 24, columns: 30, colors }))
      expect(line.length).toBeLessThan(30);
    const groups = Array.from({ length: 50 }, (_, i) => ({
      group: `g${i}`,
      desired: 1,
      updated: 0,
      ready: 0,
      available: 0,
    }));
    expect(rolloutBlock(snapshot({ groups }), { rows: 12, columns: 80, colors }).length).toBeLessThanOrEqual(12);
  });
});

describe('a view of progress', () => {
  it('redraws in place on a terminal, and leaves nothing behind', () => {
    const { view, written, pass } = viewOn(true);
    view.onProgress({ type: 'rollout', snapshot: snapshot() });
    pass(10);
    view.onProgress({ type: 'rollout', snapshot: snapshot({ updated: 5 }) });
    expect(written.err).not.toContain('\u001b[5A');
    pass(200);
    view.onProgress({ type: 'rollout', snapshot: snapshot({ updated: 6 }) });
    expect(written.err).toContain('\u001b[5A\r\u001b[J');
    view.finish();
    expect(written.err.endsWith('\u001b[5A\r\u001b[J')).toBe(true);
  });

  it('takes a terminal without a size for a usual one', () => {
    const { view, written } = viewOn(true, { NO_COLOR: '1' }, { columns: 0, rows: 0 });
    view.onProgress({ type: 'rollout', snapshot: snapshot() });
    expect(written.err).toContain('logging/agent: 4 of 10 updated, 3 available\n');
    expect(written.err).toContain('2/8 updated, 1 available');
  });

  it('warns of a daemon that is for no node, and says what it waits for', () => {
    const { view, written } = viewOn(false);
    const nowhere = 'none of 5 nodes matches its nodeSelector disk=ssd';
    view.onProgress({ type: 'rollout', snapshot: snapshot({ state: 'complete', desired: 0, available: 0, nowhere }) });
    const object = {
      group: 'apps',
      version: 'v1',
      resource: 'daemonsets',
      kind: 'DaemonSet',
      namespace: 'a',
      name: 'b',
    };
    view.onProgress({ type: 'waiting', object, what: 'to go' });
    expect(written.err).toBe(`warning: logging/agent runs nowhere: ${nowhere}\nwaiting for daemonset.apps/b to go\n`);
  });

  it('writes plain lines elsewhere, when something changed and not too often', () => {
    const { view, written, pass } = viewOn(false);
    for (let i = 0; i < 100; i += 1) {
      view.onProgress({ type: 'rollout', snapshot: snapshot({ updated: Math.floor(i / 30) }) });
      pass(100);
    }
    view.onProgress({ type: 'rollout', snapshot: snapshot({ state: 'complete' }) });
    const lines = written.err.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(6);
    expect(lines.at(-1)).toContain('is rolled out');
    expect(written.err).not.toContain('\u001b');
  });

  it('has no colours where none are wanted', () => {
    for (const [isTTY, env, isColoured] of [
      [true, {}, true],
      [true, { NO_COLOR: '1' }, false],
      [false, {}, false],
    ] as const) {
      const { view, written } = viewOn(isTTY, env);
      view.onProgress({ type: 'note', message: 'x' });
      expect(written.err.includes('\u001b[33m')).toBe(isColoured);
    }
  });

  it('tells steps on stdout in kubectl\u2019s words', () => {
    const { view, written } = viewOn(false);
    const object = {
      group: 'apps',
      version: 'v1',
      resource: 'daemonsets',
      kind: 'DaemonSet',
      namespace: 'a',
      name: 'b',
    };
    view.onProgress({ type: 'step', object, outcome: 'kept', why: 'it is annotated to be kept' });
    expect(written).toEqual({ out: 'daemonset.apps/b kept (it is annotated to be kept)\n', err: '' });
  });
});

describe('text for people', () => {
  it('cannot be steered from a cluster', () => {
    expect(printable('a\u001b[2Jb\u009bc\u202ed\ne')).toBe('a\ufffd[2Jb\ufffdc\ufffdd e');
  });

  it('stands in columns', () => {
    expect(
      table([
        ['A', 'LONG'],
        ['abc', 'x'],
        ['d', ''],
      ]),
    ).toBe('A     LONG\nabc   x\nd\n');
  });
});
