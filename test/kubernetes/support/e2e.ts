/** Kubernetes' own end-to-end tests, from its own binary, against any cluster; and what they said, case by case. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, openSync, closeSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathOf } from './programs.ts';

export interface E2eOptions {
  readonly kubeconfig: string;
  readonly kubectl: string;
  /** For the log and the report. */
  readonly folder: string;
  /** The full names of the cases to run, one after the other. */
  readonly cases: readonly string[];
  /** After so long the rest is given up. */
  readonly limitMinutes: number;
}

export interface E2eCase {
  readonly name: string;
  /** `skipped` is what a case said of itself: it found the cluster unfit for it. */
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly seconds: number;
  /** Of a failure, or of a case that would not run. */
  readonly reason: string;
}

/** The names of all cases there are. */
export function listE2e(): readonly string[] {
  const options = { maxBuffer: 64 << 20 };
  return namesIn(String(execFileSync(pathOf('e2e.test'), ['--list-tests'], { ...options, stdio: 'pipe' })));
}

/** A line a case, behind the place where it is written: `    path/file.go:12: [sig-apps] …`. */
export const namesIn = (listing: string): readonly string[] =>
  Array.from(listing.matchAll(/^ +\S+\.go:\d+: (.+)$/gm), ([, name = '']) => name);

/** As Go's regular expressions take a text to mean itself. */
const literally = (text: string): string => text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');

/** What became of each case that was asked for. One that was never reached has failed. */
export async function runE2e(options: E2eOptions): Promise<readonly E2eCase[]> {
  const { kubeconfig, kubectl, folder, cases, limitMinutes } = options;
  mkdirSync(folder, { recursive: true });
  const log = openSync(join(folder, 'e2e.log'), 'w');
  const args = [
    `--kubeconfig=${kubeconfig}`,
    '--provider=skeleton',
    `--kubectl-path=${kubectl}`,
    `--report-dir=${folder}`,
    // There is no node to take logs from.
    '--disable-log-dump=true',
    '--dump-logs-on-failure=false',
    '--ginkgo.no-color',
    ...cases.map((name) => `--ginkgo.focus=${literally(name)}$`),
    `--ginkgo.timeout=${limitMinutes}m`,
  ];
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', pathOf('e2e.test'), ...args], {
    cwd: folder,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  await new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject));
  const report = join(folder, 'junit_01.xml');
  const seen = new Map(
    (existsSync(report) ? readReport(readFileSync(report, 'utf8')) : []).map((each) => [each.name, each]),
  );
  return cases.map((name) => seen.get(name) ?? { name, outcome: 'failed', seconds: 0, reason: 'it was never run' });
}

/** The part of JUnit's format that ginkgo writes. Cases that were not chosen are left out. */
export function readReport(xml: string): readonly E2eCase[] {
  const cases: E2eCase[] = [];
  for (const [, head = '', body = ''] of xml.matchAll(/<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)) {
    const attribute = (name: string): string => plain(new RegExp(`\\b${name}="([^"]*)"`).exec(head)?.[1] ?? '');
    const status = attribute('status');
    if (status === 'pending' || !attribute('name').startsWith('[It]')) continue;
    const [, message = '', text = ''] =
      /<(?:failure|error|skipped) message="([^"]*)"[^>]*>(?:([\s\S]*?)<\/(?:failure|error|skipped)>)?/.exec(body) ?? [];
    // A case that would not run of its own accord says more than this word. Where a line of Go stands helps nobody here.
    const reason = plain(message === '' ? text : message)
      .replace(/^(?:skipped(?: - )?|\[[A-Z]+\] )/, '')
      .replace(/\s+In \[\w+\] at: [\s\S]*$/, '')
      .trim();
    if (status === 'skipped' && reason === '') continue;
    cases.push({
      name: attribute('name').slice('[It] '.length),
      outcome: status === 'passed' || status === 'skipped' ? status : 'failed',
      seconds: Math.round(Number(attribute('time')) * 10) / 10,
      reason,
    });
  }
  return cases;
}

const ENTITIES: { readonly [name: string]: string } = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const plain = (text: string): string =>
  text.replace(/&(?:#x([0-9A-Fa-f]+)|#(\d+)|(\w+));/g, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  });
