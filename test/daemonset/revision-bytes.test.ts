/** What a ControllerRevision holds is compared by its bytes, by Kubernetes' own code too: over the wire they are Go's. */
import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTROLLER_REVISIONS, DAEMON_SETS } from '../../src/core/api/registry/resources.ts';
import type { ControllerRevision, DaemonSet } from '../../src/core/api/types/apps-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { createHttpClient } from '../../src/machinery/client/http/http-client.ts';
import { loadKubeconfig } from '../../src/machinery/client/http/kubeconfig.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { realRandom } from '../../src/machinery/random/real-random.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { daemonSet } from './world.ts';

type Template = DaemonSet['spec']['template'];

const golden = readFileSync(new URL('../../src/machinery/children/golden/revisions.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { readonly template: Template; readonly patch: string });

const PATH = '/apis/apps/v1/namespaces/default/controllerrevisions';

describe('a revision over the wire', () => {
  let cluster: TestCluster;
  const revisions: Stored<ControllerRevision>[] = [];

  async function bytes(path: string, accept = 'application/json'): Promise<string> {
    const { server, tls, credentials } = await loadKubeconfig({ path: cluster.kubeconfigFile, clock: realClock });
    const { cert, key } = (await credentials?.get()) ?? {};
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const options = { ca: tls?.ca, cert: cert ?? tls?.cert, key: key ?? tls?.key, headers: { accept } };
    get(`${server}${path}`, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    }).on('error', reject);
    return promise;
  }

  beforeAll(async () => {
    cluster = await startTestCluster({ groups: [{ name: 'node', count: 1 }] });
    for (const [i, { template }] of golden.entries()) {
      const labels = template.metadata?.labels ?? {};
      const made = daemonSet();
      const spec = { ...made.spec, selector: { matchLabels: labels }, template };
      await cluster.client.create(DAEMON_SETS, { ...made, metadata: { ...made.metadata, name: `agent-${i}` }, spec });
    }
    for (let i = 0; i < 200 && revisions.length < golden.length; i += 1) {
      await realClock.sleep(50);
      revisions.splice(0, Infinity, ...(await cluster.client.list(CONTROLLER_REVISIONS, {})).items);
    }
  }, 60_000);
  afterAll(() => cluster.stop());

  const nameOf = (i: number): string =>
    revisions.find(({ metadata }) => metadata.name.startsWith(`agent-${i}-`))?.metadata.name ?? '';

  it.each(golden.keys().toArray())('is Go’s, read alone and in a list, as JSON and as protobuf: %i', async (i) => {
    const data = `"data":${golden[i]?.patch},`;
    expect(await bytes(`${PATH}/${nameOf(i)}`)).toContain(data);
    expect(await bytes(PATH)).toContain(data);
    expect(await bytes(`${PATH}/${nameOf(i)}`, 'application/vnd.kubernetes.protobuf')).toContain(golden[i]?.patch);
  });

  it('is Go’s in a watch', async () => {
    const frames = await bytes(`${PATH}?watch=1&timeoutSeconds=1&resourceVersion=0`);
    for (const { patch } of golden) expect(frames).toContain(`"data":${patch},`);
  });

  it('is Go’s on its way to a server of another make', async () => {
    const client = createHttpClient(await loadKubeconfig({ path: cluster.kubeconfigFile, clock: realClock }), {
      clock: realClock,
      random: realRandom,
    });
    const [revision] = revisions;
    const { data } = revision ?? {};
    const name = 'twin';
    if (data === undefined) throw new Error('there is no revision');
    await client.create(CONTROLLER_REVISIONS, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name, namespace: 'default' },
      data,
      revision: 9,
    });
    const patch = golden.find((each) => revision?.metadata.name === nameOf(golden.indexOf(each)))?.patch;
    expect(await bytes(`${PATH}/${name}`)).toContain(`"data":${patch},`);
    await client.close();
  });
});
