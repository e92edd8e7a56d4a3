/** Kernel parameters of a pod. */
import { duplicate, field, invalid, required } from '../../../kube/field-errors.ts';
import type { PodSpec, Sysctl } from '../../types/core-v1.ts';
import type { Findings } from '../../rules/findings.ts';

const SEGMENT = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const FORMAT = `^(${SEGMENT}[\\./])*${SEGMENT}$`;
const MAX_LENGTH = 253;

const IPC: ReadonlySet<string> = new Set([
  'kernel.sem',
  'kernel.shmall',
  'kernel.shmmax',
  'kernel.shmmni',
  'kernel.shm_rmid_forced',
  'kernel.shm',
  'kernel.msgmax',
  'kernel.msgmnb',
  'kernel.msgmni',
  'kernel.msg',
]);

const WORD = /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/;

/** Segment by segment, because the whole pattern at once backtracks on long names. */
const isName = (name: string): boolean =>
  name.length <= MAX_LENGTH && name.split(/[./]/).every((segment) => WORD.test(segment));

/** `net/ipv4/conf` and `net.ipv4.conf` are one parameter; the first separator says which spelling it is. */
function normalized(name: string): string {
  const first = name.search(/[./]/);
  if (first < 0 || name[first] === '.') return name;
  return name.replace(/[./]/g, (separator) => (separator === '/' ? '.' : '/'));
}

function namespaceOf(name: string): 'IPC' | 'Net' | undefined {
  const [plain = ''] = normalized(name).split('*', 1);
  if (IPC.has(plain) || plain.startsWith('fs.mqueue.')) return 'IPC';
  return plain.startsWith('net.') ? 'Net' : undefined;
}

/** Why a parameter may not be set in a pod that shares the namespace it belongs to with its host. */
export function hostSysctlProblem(name: string, spec: PodSpec): string | undefined {
  if (!spec.hostNetwork && !spec.hostIPC) return undefined;
  const namespace = namespaceOf(name);
  if (spec.hostNetwork && namespace === 'Net') return "may not be specified when 'hostNetwork' is true";
  if (spec.hostIPC && namespace === 'IPC') return "may not be specified when 'hostIPC' is true";
  return undefined;
}

export function validateSysctls(
  found: Findings,
  sysctls: readonly Sysctl[],
  spec: PodSpec,
  allowHostSysctls: boolean,
  path: string,
): void {
  const names = new Set<string>();
  for (const [index, sysctl] of sysctls.entries()) {
    const name = sysctl.name ?? '';
    const at = field.child(field.index(path, index), 'name');
    if (name === '') found.push(required(at, ''));
    else if (!isName(name)) {
      found.push(invalid(at, name, `must have at most ${MAX_LENGTH} characters and match regex ${FORMAT}`));
    } else if (names.has(name)) found.push(duplicate(at, name));
    const problem = allowHostSysctls ? undefined : hostSysctlProblem(name, spec);
    if (problem !== undefined) found.push(invalid(at, name, problem));
    names.add(name);
  }
}
