import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { realClock } from '../../../machinery/time/real-clock.ts';
import { simulate } from './command.ts';

const FINE = `
nodes: [{ name: worker, count: 1 }]
steps: [{ at: 1s, workload: { name: web, count: 2 } }]
`;
/** A node whose kubelet never comes back, and a user who deletes its pods: they stay, which is no failure. */
const WRONG = `
nodes: [{ name: worker, count: 1 }]
steps: [{ at: 1s, workload: { name: web, count: 0 } }]
`;

async function run(...argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'scenarios-'));
  writeFileSync(join(folder, 'fine.yaml'), FINE);
  writeFileSync(join(folder, 'wrong.txt'), WRONG);
  const args = argv.map((each) => each.replace('FOLDER', folder));
  let out = '';
  let err = '';
  const code = await simulate(args, {
    folder,
    clock: realClock,
    out: (line) => (out += `${line}\n`),
    err: (text) => (err += text),
    isTerminal: false,
  });
  return { code, out, err };
}

describe('npm run simulate', () => {
  it('runs every scenario and sums up', async () => {
    const { code, out, err } = await run('--seeds', '3');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^fine: 3 seeds, 0 failed; \d+ faults, \d+ changes, [\d.]+ virtual hours; [\d.]+ seeds\/s\n$/);
  });

  it('runs one seed alone and prints its story', async () => {
    const { code, out } = await run('--scenario', 'fine', '--seed', '5', '--no-faults', '--log');
    expect(code).toBe(0);
    expect(out).toContain('step 0: workload {"name":"web","count":2}');
    expect(out).toContain('fine: 1 seeds, 0 failed; 0 faults');
  });

  it('keeps only the steps it is told to', async () => {
    const { out } = await run('--scenario', 'fine', '--seed', '5', '--log', '--keep-steps', '', '--keep-faults', '');
    expect(out).not.toContain('step 0');
    expect(out).toContain('0 faults');
  });

  it('says what is wrong with a file, and where', async () => {
    const { code, err } = await run('--scenario', 'FOLDER/wrong.txt');
    expect(code).toBe(1);
    expect(err).toMatch(/wrong\.txt:3:\d+: steps\[0\]\.workload\.count: expected a whole number above 0/);
  });

  it('says which scenarios there are', async () => {
    const { code, err } = await run('--scenario', 'nowhere');
    expect([code, err]).toEqual([1, 'no scenario "nowhere"; there are fine, generated, all, or name a file\n']);
  });

  it('refuses numbers that are none', async () => {
    const { code, err } = await run('--seeds', 'many');
    expect(code).toBe(1);
    expect(err).toContain('expected a whole number');
  });
});
