/** The cost of processes, as Linux counts it: CPU seconds and resident memory of each, from `/proc`. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

export interface Watched {
  readonly name: string;
  readonly pid: number;
}

/** CPU in clock ticks, of all threads, those that have ended included. The name of a process may hold spaces and brackets. */
export function cpuTicks(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  if (!Number.isFinite(ticks)) throw new Error(`not a line of /proc/PID/stat: ${stat}`);
  return ticks;
}

/** One amount of memory out of `/proc/PID/status`; a process that is ending has none. */
export function memoryMiB(status: string, field: 'VmRSS' | 'VmHWM'): number {
  const kib = new RegExp(String.raw`^${field}:\s+(\d+) kB$`, 'm').exec(status)?.[1];
  return kib === undefined ? 0 : Number(kib) / 1024;
}

let ticksPerSecond: number | undefined;

export function cpuSeconds({ name, pid }: Watched): number {
  ticksPerSecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  return cpuTicks(read(name, pid, 'stat')) / ticksPerSecond;
}

const residentMiB = ({ name, pid }: Watched, field: 'VmRSS' | 'VmHWM'): number =>
  memoryMiB(read(name, pid, 'status'), field);

function read(name: string, pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (cause) {
    throw new Error(`${name} is gone`, { cause });
  }
}

interface Cost {
  readonly cpuSeconds: number;
  /** The most memory that all processes have held at one moment. */
  readonly memoryMiB: number;
  /** CPU seconds of each process. */
  readonly each: ReadonlyMap<string, number>;
}

const SAMPLE_MS = 50;

export interface Meter extends Disposable {
  /** The cost of the processes since the meter was started. */
  read(): Cost;
}

/** Measures the processes from now on. */
export function startMeter(processes: readonly Watched[]): Meter {
  const [only] = processes;
  const before = processes.map(cpuSeconds);
  let most = 0;
  const sample = (): void => {
    try {
      most = Math.max(
        most,
        processes.reduce((sum, process) => sum + residentMiB(process, 'VmRSS'), 0),
      );
    } catch {
      // A process has ended: the reader of the meter gets the error.
    }
  };
  const isExact = processes.length === 1 && only !== undefined && forgetPeak(only.pid);
  sample();
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    [Symbol.dispose]: () => clearInterval(timer),
    read() {
      const each = new Map(
        processes.map((process, i) => [process.name, cpuSeconds(process) - (before[i] ?? 0)] as const),
      );
      sample();
      return {
        cpuSeconds: each.values().reduce((sum, seconds) => sum + seconds, 0),
        memoryMiB: isExact ? Math.max(most, residentMiB(only, 'VmHWM')) : most,
        each,
      };
    },
  };
}

/** The kernel's own mark of the most a process has held starts anew; of one process alone it says more than samples. */
function forgetPeak(pid: number): boolean {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    return true;
  } catch {
    return false;
  }
}

const LOOK_MS = 500;
/** Share of one core, in one look. */
const QUIET_SHARE = 0.1;
const QUIET_LOOKS = 3;
const PATIENCE_MS = 60_000;

/** Waits until the processes have little to do for a while; a process that never rests is measured as it is. */
export async function untilQuiet(processes: readonly Watched[], signal: AbortSignal): Promise<boolean> {
  let used = total(processes);
  let quiet = 0;
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end;) {
    const began = performance.now();
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    signal.throwIfAborted();
    const now = total(processes);
    const share = (now - used) / ((performance.now() - began) / 1000);
    used = now;
    quiet = share <= QUIET_SHARE ? quiet + 1 : 0;
    if (quiet >= QUIET_LOOKS) return true;
  }
  return false;
}

const total = (processes: readonly Watched[]): number =>
  processes.reduce((sum, process) => sum + cpuSeconds(process), 0);
