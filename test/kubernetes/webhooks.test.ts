/** The webhook of KubernetesDaemonSets on a real API server: operators as processes, with the manifests that users apply. */
import { request } from 'node:https';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  DAEMON_SETS,
  KUBERNETES_DAEMON_SETS,
  LEASES,
  SECRETS,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../../src/core/api/registry/resources.ts';
import { API_VERSIONS } from '../../src/core/api/component/generations.ts';
import type { DaemonSet } from '../../src/core/api/types/apps-v1.ts';
import type { KubernetesDaemonSet } from '../../src/core/api/types/planton-v1.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { DEFINITIONS, MANIFESTS, ROOT } from '../../tools/generate/deploy.ts';
import { kubectls, runKubectl, type Run } from '../support/kubectl.ts';
import { startControlPlane, type ControlPlane } from './support/control-plane.ts';
import { until } from './support/daemonset-world.ts';
import { missingPrograms } from './support/programs.ts';
import {
  accountKubeconfig,
  NAMESPACE,
  ownAddress,
  startWebhookOperator,
  WEBHOOK,
  type WebhookOperator,
} from './support/webhook-operators.ts';

const newest = kubectls().at(-1);
const isPossible = missingPrograms().length === 0 && newest !== undefined && ownAddress() !== undefined;
/** A new authority signs four seconds after every configuration holds it. */
const LIFETIME = '6m';
const WRITERS = 4;
const ROTATIONS = 3;

const component = (
  name: string,
  app: object = {},
  apiVersion: string = API_VERSIONS[0] ?? '',
): KubernetesDaemonSet => ({
  apiVersion,
  kind: 'KubernetesDaemonSet',
  metadata: { name, namespace: 'default' },
  spec: { namespace: 'agents', container: { app: { image: 'registry.example/agent:1.2.3', ...app } } },
});
const network = (name: string): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name, namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { name: '', labels: { app: name } },
      spec: { containers: [{ name: 'cni', image: 'registry.example/cni:1' }] },
    },
  },
});
const LITERAL = { env: { secrets: { TOKEN: 'hunter2' } } };

describe.skipIf(!isPossible)('webhooks on a kube-apiserver', { timeout: 600_000 }, () => {
  let plane: ControlPlane;
  let admin: Client;
  let account = '';
  const running: WebhookOperator[] = [];

  const kubectl = async (args: readonly string[], input?: object): Promise<Run> =>
    runKubectl(newest ?? { version: '', path: '' }, plane.admin, args, {
      timeoutMs: 120_000,
      ...(input === undefined ? {} : { input: JSON.stringify(input) }),
    });
  const start = async (name: string): Promise<WebhookOperator> => {
    const operator = await startWebhookOperator({ admin, kubeconfig: account, name, lifetime: LIFETIME });
    running.push(operator);
    return operator;
  };
  const bundle = async (): Promise<string> => {
    const { webhooks = [] } = await admin.get(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: WEBHOOK });
    return webhooks[0]?.clientConfig.caBundle ?? '';
  };
  const tries = (name: string, app: object = {}): Promise<unknown> =>
    admin.create(KUBERNETES_DAEMON_SETS, component(name, app), { dryRun: true });
  const outcome = (name: string, app?: object): Promise<string> =>
    tries(name, app).then(
      () => 'stored',
      (error: Error) => error.message,
    );
  const leader = async (): Promise<string> => {
    const lease = await admin.get(LEASES, { namespace: NAMESPACE, name: 'everynode-operator' });
    return lease.spec.holderIdentity?.split('_')[0] ?? '';
  };
  const judged = (): Promise<string> =>
    until(
      () => outcome('literal', LITERAL),
      (text) => text.includes('hold the value'),
    );

  /** Writes go on and on meanwhile; answers with what became of those that failed, and how many there were. */
  async function underLoad(
    work: () => Promise<void>,
  ): Promise<{ readonly failures: readonly string[]; readonly writes: number }> {
    const failures: string[] = [];
    let writes = 0;
    let isOver = false;
    const write = async (writer: number): Promise<void> => {
      while (!isOver) {
        writes += 1;
        // Every other one must be refused: that nobody was asked is a failure too.
        const isBad = writes % 2 === 0;
        const said = await outcome(`load-${writer}-${writes}`, isBad ? LITERAL : {});
        if (isBad ? !said.includes('hold the value of a secret') : said !== 'stored') failures.push(said);
      }
    };
    const writers = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    try {
      await work();
    } finally {
      isOver = true;
      await writers;
    }
    return { failures, writes };
  }

  beforeAll(async () => {
    // Without kube-proxy there are no addresses of Services: endpoints are asked.
    plane = await startControlPlane({ apiServer: ['--enable-aggregator-routing=true'] });
    admin = await plane.clientOf(plane.admin);
    const files = [DEFINITIONS, MANIFESTS].flatMap((path) => ['-f', `${ROOT}/${path}`]);
    const applied = await kubectl(['apply', '--server-side', ...files]);
    if (applied.code !== 0) throw new Error(applied.stderr);
    const definitions = await kubectl(['wait', 'crd', '--all', '--for=condition=Established', '--timeout=60s']);
    if (definitions.code !== 0) throw new Error(definitions.stderr);
    account = await accountKubeconfig(admin, plane.admin, `${plane.folder}/operator.kubeconfig`);
  });
  afterEach(({ task }) => {
    if (task.result?.state !== 'fail') return;
    plane?.keepLogs();
    for (const { name, log } of running) process.stderr.write(`--- ${name}\n${log().slice(-6_000)}\n`);
  });
  afterAll(async () => {
    await Promise.all(running.map((operator) => operator.kill()));
    await plane?.stop();
  });

  it('let nothing pass before anybody answers', async () => {
    expect(await outcome('early')).toMatch(
      /failed calling webhook "component\.everynode\.dev".*no endpoints available/,
    );
  });

  it('let DaemonSets pass before anybody answers: one may be what the webhook server waits for', async () => {
    const made = await admin.create(DAEMON_SETS, network('early'));
    expect(made.spec.template.spec?.tolerations).toBeUndefined();
  });

  it('refuse a secret in plain text in every generation, and say what to write instead', async () => {
    await start('first');
    expect(await judged()).toMatch(/^admission webhook "component\.everynode\.dev" denied the request: /);
    for (const apiVersion of API_VERSIONS) {
      const { code, stderr } = await kubectl(['apply', '-f', '-'], component('literal', LITERAL, apiVersion));
      expect(code, stderr).toBe(1);
      expect(stderr).toContain('spec.container.app.env.secrets.TOKEN: Forbidden');
      expect(stderr).toContain('secretRef: {name, key}');
      expect(stderr).not.toContain('hunter2');
    }
  });

  it('let new DaemonSets tolerate nodes that are being reserved, and roll out none for it', async () => {
    const tolerations = [{ key: 'everynode.dev/unreserved', operator: 'Exists', effect: 'NoSchedule' }];
    const made = await admin.create(DAEMON_SETS, network('cni'));
    expect(made.spec.template.spec?.tolerations).toEqual(tolerations);
    const applied = await kubectl(
      ['apply', '--server-side', '--field-manager=author', '--force-conflicts', '-f', '-'],
      network('cni'),
    );
    expect(applied.code, applied.stderr).toBe(0);
    const { metadata, spec } = await admin.get(DAEMON_SETS, { namespace: 'default', name: 'cni' });
    expect([metadata.generation, spec.template.spec?.tolerations]).toEqual([1, tolerations]);
    const labelled = await kubectl(['label', 'daemonset', 'early', 'team=network']);
    expect(labelled.code, labelled.stderr).toBe(0);
    const early = await admin.get(DAEMON_SETS, { namespace: 'default', name: 'early' });
    expect([early.metadata.generation, early.spec.template.spec?.tolerations]).toEqual([1, undefined]);
  });

  it('show warnings, and let good ones and changes of labels pass', async () => {
    const made = await kubectl(['apply', '-f', '-'], component('warned', { image: 'registry.example/agent:latest' }));
    expect([made.code, made.stdout]).toEqual([0, 'kubernetesdaemonset.kubernetes.planton.dev/warned created\n']);
    expect(made.stderr).toContain('Warning: spec.container.app.image: the tag is latest');
    const labelled = await kubectl(['label', 'kds', 'warned', 'team=platform']);
    expect([labelled.code, labelled.stderr]).toEqual([0, '']);
    const explained = await kubectl(['explain', 'kds.spec.container.app']);
    expect(explained.stdout).toContain('livenessProbe');
  });

  it('answer hostile bodies with errors, never with yes or no, and go on', async () => {
    const [{ port } = { port: 0 }] = running;
    const json = { 'content-type': 'application/json' };
    const review = (given: object): string =>
      JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: given });
    const deep = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`;
    expect(await post(port, '/validate/component', json, 'no json')).toBe(400);
    expect(await post(port, '/validate/component', json, '')).toBe(400);
    expect(await post(port, '/validate/component', json, deep)).toBe(400);
    expect(await post(port, '/validate/component', json, review({ uid: 'a', object: 7 }))).toBe(400);
    expect(await post(port, '/validate/component', json, review({ uid: 'a', __proto__: { polluted: 1 } }))).toBe(400);
    expect(await post(port, '/validate/component', { 'content-type': 'text/plain' }, '{}')).toBe(415);
    expect(await post(port, '/validate/component', json, Buffer.alloc(9 * 1024 * 1024, 32))).toBe(413);
    expect(await post(port, '/mutate/component', json, '{}')).toBe(404);
    expect(await post(port, '/../../etc/passwd', json, '{}')).toBe(404);
    expect(running[0]?.isRunning()).toBe(true);
    expect(await outcome('after')).toBe('stored');
  });

  it('mend a configuration that somebody has damaged', async () => {
    const good = await bundle();
    for (const caBundle of [Buffer.from(await strangersAuthority(plane)).toString('base64'), null]) {
      const body = [{ op: 'replace', path: '/webhooks/0/clientConfig/caBundle', value: caBundle }];
      await admin.patch(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: WEBHOOK }, { type: 'json', body });
      await until(bundle, (text) => text === good);
      await judged();
    }
  });

  it('change their authority under load without one request that fails', async () => {
    await start('second');
    const certificate = async (): Promise<string> => {
      const secret = await admin.get(SECRETS, { namespace: NAMESPACE, name: WEBHOOK }).catch(() => undefined);
      return secret?.data?.['tls.crt'] ?? '';
    };
    const seen = new Set([await certificate()]);
    const { failures, writes } = await underLoad(async () => {
      for (let rotation = 0; rotation < ROTATIONS; rotation += 1) {
        const before = await certificate();
        await admin.delete(SECRETS, { namespace: NAMESPACE, name: WEBHOOK });
        seen.add(await until(certificate, (now) => now !== '' && now !== before && !seen.has(now)));
        // Connections that are open go on with the old one; new ones must be good as well.
        await new Promise((resolve) => setTimeout(resolve, 2_000));
      }
    });
    expect(failures).toEqual([]);
    expect(seen.size).toBe(ROTATIONS + 1);
    expect(writes).toBeGreaterThan(50);
  });

  it('are handed over from one replica to the other under load, with the care for certificates', async () => {
    const leading = await leader();
    const leaving = running.find(({ name }) => name === leading);
    const staying = running.find(({ name }) => name !== leading);
    const { failures, writes } = await underLoad(async () => {
      expect(await leaving?.leave()).toBe(0);
      await until(leader, (name) => name === staying?.name);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    });
    expect(failures).toEqual([]);
    expect(writes).toBeGreaterThan(20);
    const good = await bundle();
    const body = [{ op: 'replace', path: '/webhooks/0/clientConfig/caBundle', value: null }];
    await admin.patch(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: WEBHOOK }, { type: 'json', body });
    await until(bundle, (text) => text === good);
  });

  it('let nothing pass while no operator runs, but what is on its way out; and recover', async () => {
    const kept = component('kept');
    await admin.create(KUBERNETES_DAEMON_SETS, {
      ...kept,
      metadata: { ...kept.metadata, finalizers: ['example.com/keep'] },
    });
    await Promise.all(running.splice(0).map((operator) => operator.kill()));
    await until(
      () => outcome('alone'),
      (text) => text.includes('failed calling webhook "component.everynode.dev"'),
    );
    expect(await outcome('alone', LITERAL)).toContain('failed calling webhook');
    const key = { namespace: 'default', name: 'kept' };
    await admin.delete(KUBERNETES_DAEMON_SETS, key);
    await admin.patch(KUBERNETES_DAEMON_SETS, key, { type: 'merge', body: { metadata: { finalizers: null } } });
    await expect(admin.get(KUBERNETES_DAEMON_SETS, key)).rejects.toThrow('not found');
    const again = await start('third');
    await until(
      () => outcome('back'),
      (text) => text === 'stored',
    );
    await judged();
    expect(again.log()).not.toContain('is forbidden');
  });
});

/** A good authority, but of somebody else. */
async function strangersAuthority(plane: ControlPlane): Promise<string> {
  const { cert } = await plane.certificateOf({ commonName: 'stranger' }, 3_600_000);
  return cert;
}

/** The status, whatever comes back; nothing is verified, since a stranger would not either. */
/** Asked again where the server has answered and closed before it was sent everything: the answer may be lost then. */
async function post(
  port: number,
  path: string,
  headers: Record<string, string>,
  body: string | Buffer,
  attempts = 5,
): Promise<number> {
  try {
    return await postOnce(port, path, headers, body);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (attempts <= 1 || (code !== 'EPIPE' && code !== 'ECONNRESET')) throw error;
    return post(port, path, headers, body, attempts - 1);
  }
}

function postOnce(port: number, path: string, headers: Record<string, string>, body: string | Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method: 'POST', headers, rejectUnauthorized: false, agent: false };
    const sent = request(options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
      sent.destroy();
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
