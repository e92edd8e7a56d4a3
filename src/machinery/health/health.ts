/**
 * Whether a process lives and is of use, as kubelets and people ask: `/livez` and `/readyz`, in the words of a Kubernetes
 * component. A check's text is readable for every client that reaches the port, so it names things of the cluster and never
 * a secret or a server's answer.
 */
export interface HealthCheck {
  readonly name: string;
  /** Part of `/livez` too: a failure that only a restart can mend. */
  readonly isVital?: boolean;
  check(): Health;
}

interface Health {
  readonly ok: boolean;
  /** For people, in a few words; shown with `?verbose`, or where something is wrong. */
  readonly says?: string;
}

type HealthPath = 'livez' | 'readyz' | 'healthz';

export interface HealthAnswer {
  readonly code: 200 | 404 | 500;
  readonly text: string;
}

const PATHS: ReadonlySet<string> = new Set<HealthPath>(['livez', 'readyz', 'healthz']);

/** The answer to `/readyz`, `/readyz/NAME`, with `?verbose` and `?exclude=NAME`; undefined where that is no such path. */
export function healthAnswer(url: URL, checks: readonly HealthCheck[]): HealthAnswer | undefined {
  const [path = '', name, ...rest] = url.pathname.slice(1).split('/');
  if (!PATHS.has(path) || rest.length > 0) return undefined;
  const asked = checks.filter((check) => path === 'readyz' || check.isVital === true);
  if (name !== undefined) {
    const one = asked.find((check) => check.name === name);
    if (one === undefined) return { code: 404, text: `there is no check ${JSON.stringify(name.slice(0, 100))}\n` };
    return answer(path, [one], new Set(), url.searchParams.has('verbose'));
  }
  return answer(path, asked, new Set(url.searchParams.getAll('exclude')), url.searchParams.has('verbose'));
}

function answer(
  path: string,
  checks: readonly HealthCheck[],
  excluded: ReadonlySet<string>,
  isVerbose: boolean,
): HealthAnswer {
  const lines: string[] = [];
  let isOk = true;
  for (const check of checks) {
    if (excluded.has(check.name)) {
      lines.push(`[+]${check.name} excluded: ok`);
      continue;
    }
    const { ok, says } = healthOf(check);
    isOk &&= ok;
    lines.push(`[${ok ? '+' : '-'}]${check.name} ${ok ? 'ok' : 'failed'}${says === undefined ? '' : `: ${says}`}`);
  }
  if (isOk && !isVerbose) return { code: 200, text: 'ok\n' };
  lines.push(`${path} check ${isOk ? 'passed' : 'failed'}`);
  return { code: isOk ? 200 : 500, text: `${lines.join('\n')}\n` };
}

/** A check that throws has failed; the error may hold anything, so its text is not shown. */
function healthOf(check: HealthCheck): Health {
  try {
    return check.check();
  } catch {
    return { ok: false, says: 'could not be found out' };
  }
}
