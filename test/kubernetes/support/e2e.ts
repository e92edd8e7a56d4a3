/** Kubernetes' own end-to-end tests, from its own binary, against any cluster; and what they said, case by case. */
import { spawn } from 'node:child_process';
import { mkdirSync, openSync, closeSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathOf } from './programs.ts';

export interface E2eOptions {
  readonly kubeconfig: string;
  readonly kubectl: string;
  /** For the log and the report. */
  readonly folder: string;
  /** Regular expressions of Go, over the full names of the cases. */
  readonly focus: string;
  readonly skip?: string;
}

export interface E2eCase {
  readonly name: string;
  readonly outcome: 'passed' | 'failed';
  readonly seconds: number;
  /** Of a failure. */
  readonly reason: string;
}

const TIMEOUT = '40m';

/** The cases that were run. Those that were not chosen are not among them. */
export async function runE2e(options: E2eOptions): Promise<readonly E2eCase[]> {
  const { kubeconfig, kubectl, folder, focus, skip = '\\[Disruptive\\]' } = options;
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
    `--ginkgo.focus=${focus}`,
    `--ginkgo.skip=${skip}`,
    `--ginkgo.timeout=${TIMEOUT}`,
  ];
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', pathOf('e2e.test'), ...args], {
    cwd: folder,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  await new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject));
  return readReport(readFileSync(join(folder, 'junit_01.xml'), 'utf8'));
}

/** The part of JUnit's format that ginkgo writes. */
export function readReport(xml: string): readonly E2eCase[] {
  const cases: E2eCase[] = [];
  for (const [, head = '', body = ''] of xml.matchAll(/<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)) {
    const attribute = (name: string): string => plain(new RegExp(`\\b${name}="([^"]*)"`).exec(head)?.[1] ?? '');
    const status = attribute('status');
    if (status === 'skipped' || status === 'pending' || !attribute('name').startsWith('[It]')) continue;
    cases.push({
      name: attribute('name').slice('[It] '.length),
      outcome: status === 'passed' ? 'passed' : 'failed',
      seconds: Math.round(Number(attribute('time')) * 10) / 10,
      reason: plain(/<(?:failure|error) message="([^"]*)"/.exec(body)?.[1] ?? ''),
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
