/**
 * A suite that runs once for every chosen kubectl, against one cluster, each version in a namespace of its own. A new
 * kubectl on the machine needs no line here.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddedOptions } from '../../src/assembly/embedded.ts';
import { startTestCluster, type TestCluster } from './cluster.ts';
import { isOnPurpose, NO_KUBECTL } from './no-kubectl.ts';
import { chosenKubectls, runKubectl, TIMED_OUT, type ChosenKubectl, type Run, type RunOptions } from './kubectl.ts';

export interface Session extends ChosenKubectl {
  readonly cluster: TestCluster;
  readonly namespace: string;
  /** Position among the versions, to share out what is not namespaced. */
  readonly index: number;
  /** Runs kubectl in the session's namespace, whatever comes of it. */
  run(args: readonly string[], options?: RunOptions): Promise<Run>;
  /** Runs it, insists that it works and answers with what it printed. */
  ok(args: readonly string[], options?: RunOptions): Promise<string>;
  /** Runs it, insists that it fails and answers with its complaint. */
  fails(args: readonly string[], options?: RunOptions): Promise<string>;
  /** Writes a file that belongs to the session. */
  file(name: string, content: string | object): string;
}

export interface SuiteOptions extends Partial<EmbeddedOptions> {
  /** The oldest and the newest walk every path; the others, only what the suite of all versions holds. */
  readonly versions?: 'ends' | 'all';
  /** A cluster for each version, where names belong to the whole cluster. */
  readonly apart?: boolean;
}

export function kubectlSuite(area: string, body: (session: Session) => void, options: SuiteOptions = {}): void {
  const versions = chosenKubectls().filter(({ isEnd }) => isEnd || options.versions === 'all');
  if (versions.length === 0) return withoutKubectl(area);
  const shared = options.apart === true ? undefined : clusterOf(options);
  for (const [index, version] of versions.entries()) {
    // Versions run beside each other; within one, a test may lean on those before it.
    describe.concurrent(`kubectl ${version.version}`, () => {
      const running = shared ?? clusterOf(options);
      const session = createSession(version, index, running);
      beforeAll(async () => {
        mkdirSync(join(running().folder, session.namespace), { recursive: true });
        await session.ok(['create', 'namespace', session.namespace]);
      });
      describe(`covers ${area}`, { concurrent: false }, () => {
        body(session);
      });
    });
  }
}

/** Up while the tests of the suite run that this is called in. */
function clusterOf(options: Partial<EmbeddedOptions>): () => TestCluster {
  let cluster: TestCluster | undefined;
  beforeAll(async () => {
    cluster = await startTestCluster(options);
  });
  afterAll(() => cluster?.stop());
  return () => {
    if (cluster === undefined) throw new Error('the cluster is not up yet');
    return cluster;
  };
}

function createSession(version: ChosenKubectl, index: number, running: () => TestCluster): Session {
  const namespace = `v${version.version.replace('.', '-')}`;
  const run: Session['run'] = (args, options) =>
    runKubectl(version, running().kubeconfigFile, ['--namespace', namespace, ...args], options);
  return {
    ...version,
    get cluster() {
      return running();
    },
    namespace,
    index,
    run,
    async ok(args, options) {
      const result = await run(args, options);
      if (result.code !== 0) throw unexpected('should have worked', args, result);
      return result.stdout;
    },
    async fails(args, options) {
      const result = await run(args, options);
      if (result.code === 0) throw unexpected('should have been refused', args, result);
      if (result.code === TIMED_OUT) throw unexpected('hung', args, result);
      return result.stderr.trimEnd();
    },
    file(name, content) {
      const path = join(running().folder, namespace, name);
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
      return path;
    },
  };
}

const unexpected = (what: string, args: readonly string[], { code, stdout, stderr }: Run): Error =>
  new Error(`kubectl ${args.join(' ')} ${what} and ended with ${code}:\n${stdout}${stderr}`);

function withoutKubectl(area: string): void {
  describe(`kubectl: ${area}`, () => {
    it.skipIf(!isOnPurpose())(`needs a kubectl (${NO_KUBECTL})`, () => {
      expect(chosenKubectls()).not.toEqual([]);
    });
  });
}
