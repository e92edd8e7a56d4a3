import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { cpuSeconds, cpuTicks, memoryMiB, startMeter } from './processes.ts';

const stat = (name: string): string =>
  `4711 (${name}) S 1 4711 4711 0 -1 4194560 73031 0 12 0 1234 566 7 8 20 0 14 0 88 1275772928 17000 18446744073709551615`;

describe('cpuTicks', () => {
  it('adds what was spent in the program and in the kernel', () => expect(cpuTicks(stat('etcd'))).toBe(1800));

  it('is not misled by a process that calls itself something odd', () => {
    for (const name of ['a b', 'x) S 1 2 3', '(', ')']) expect(cpuTicks(stat(name))).toBe(1800);
  });

  it('leaves out what children have spent', () => expect(cpuTicks(stat('node'))).not.toBe(1815));

  it('says so when it is given something else', () => expect(() => cpuTicks('nothing')).toThrow('not a line of'));
});

describe('memoryMiB', () => {
  const status = 'Name:\tnode\nVmPeak:\t 9999999 kB\nVmHWM:\t  262144 kB\nVmRSS:\t  131072 kB\nThreads:\t11\n';

  it('reads what is held now and what was held at most', () => {
    expect(memoryMiB(status, 'VmRSS')).toBe(128);
    expect(memoryMiB(status, 'VmHWM')).toBe(256);
  });

  it('finds nothing with a process that is ending', () => expect(memoryMiB('Name:\tnode\n', 'VmRSS')).toBe(0));
});

describe.skipIf(process.platform !== 'linux')('startMeter', () => {
  it('knows what another process costs', async () => {
    const child = spawn(process.execPath, [
      '-e',
      'const b = Buffer.alloc(64 << 20, 1); process.stdin.once("data", () => { for (let i = 0; i < 3e8; i += 1) b[i & 7] = i; process.stdout.write("done"); }); process.stdout.write("up");',
    ]);
    try {
      const { pid = 0 } = child;
      await new Promise((resolve) => child.stdout.once('data', resolve));
      using meter = startMeter([{ name: 'child', pid }]);
      const done = new Promise((resolve) => child.stdout.once('data', resolve));
      child.stdin.write('go\n');
      await done;
      const cost = meter.read();
      expect(cost.cpuSeconds).toBeGreaterThan(0);
      expect(cost.cpuSeconds).toBeLessThanOrEqual(cpuSeconds({ name: 'child', pid }));
      expect(cost.memoryMiB).toBeGreaterThan(64);
      expect([...cost.each.keys()]).toEqual(['child']);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('names the one that is gone', () => {
    expect(() => startMeter([{ name: 'etcd', pid: 2 ** 30 }])).toThrow('etcd is gone');
  });
});
