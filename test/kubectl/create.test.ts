import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kubectlSuite } from '../support/kubectl-suite.ts';
import { configMapOf, podOf } from '../support/manifests.ts';

/** What each generator says; `since` names the release whose kubectl first knows it for this server's versions. */
interface Generator {
  readonly args: readonly string[];
  readonly says: string;
  readonly since?: number;
  /** JSONPath of something the server must have kept or filled in. */
  readonly holds: readonly [path: string, value: RegExp];
}

const CREATED: readonly Generator[] = [
  {
    args: ['deployment', 'web', '--image=nginx', '--replicas=2'],
    says: 'deployment.apps/web created',
    holds: ['{.spec.replicas} {.spec.strategy.type}', /^2 RollingUpdate$/],
  },
  {
    args: ['job', 'once', '--image=busybox', '--', 'date'],
    says: 'job.batch/once created',
    holds: ['{.spec.completions} {.spec.template.spec.containers[0].command[0]}', /^1 date$/],
  },
  {
    args: ['cronjob', 'tick', '--image=busybox', '--schedule=*/5 * * * *', '--', 'date'],
    says: 'cronjob.batch/tick created',
    since: 21,
    holds: ['{.spec.concurrencyPolicy} {.spec.suspend}', /^Allow false$/],
  },
  {
    args: ['configmap', 'literal', '--from-literal=a=1'],
    says: 'configmap/literal created',
    holds: ['{.data.a}', /^1$/],
  },
  {
    args: ['secret', 'generic', 'opaque', '--from-literal=password=x'],
    says: 'secret/opaque created',
    holds: ['{.type} {.data.password}', /^Opaque eA==$/],
  },
  {
    args: [
      'secret',
      'docker-registry',
      'registry',
      '--docker-server=r.example',
      '--docker-username=u',
      '--docker-password=p',
    ],
    says: 'secret/registry created',
    holds: ['{.type}', /^kubernetes\.io\/dockerconfigjson$/],
  },
  {
    args: ['service', 'clusterip', 'inside', '--tcp=80:8080'],
    says: 'service/inside created',
    holds: ['{.spec.clusterIP}', /^10\.96\./],
  },
  {
    args: ['service', 'clusterip', 'headless', '--clusterip=None'],
    says: 'service/headless created',
    holds: ['{.spec.clusterIP}', /^None$/],
  },
  {
    args: ['service', 'nodeport', 'ported', '--tcp=80:8080'],
    says: 'service/ported created',
    holds: ['{.spec.ports[0].nodePort}', /^3[0-2]\d{3}$/],
  },
  {
    args: ['service', 'loadbalancer', 'balanced', '--tcp=80:8080'],
    says: 'service/balanced created',
    holds: ['{.spec.type} {.spec.ports[0].nodePort}', /^LoadBalancer 3[0-2]\d{3}$/],
  },
  {
    args: ['service', 'externalname', 'outside', '--external-name=example.com'],
    says: 'service/outside created',
    holds: ['{.spec.externalName}{.spec.clusterIP}', /^example\.com$/],
  },
  {
    args: ['serviceaccount', 'robot'],
    says: 'serviceaccount/robot created',
    holds: ['{.metadata.name}', /^robot$/],
  },
  {
    args: ['role', 'reader', '--verb=get,list', '--resource=pods,daemonsets.apps'],
    says: 'role.rbac.authorization.k8s.io/reader created',
    holds: ['{.rules[*].verbs}', /get.*list/],
  },
  {
    args: ['rolebinding', 'readers', '--role=reader', '--serviceaccount=default:robot'],
    says: 'rolebinding.rbac.authorization.k8s.io/readers created',
    holds: ['{.roleRef.apiGroup} {.subjects[0].kind}', /^rbac\.authorization\.k8s\.io ServiceAccount$/],
  },
  {
    // No amounts of cpu: every pod that comes after would have to name its own.
    args: ['quota', 'limits', '--hard=pods=10,services=20'],
    says: 'resourcequota/limits created',
    holds: ['{.spec.hard.pods}', /^10$/],
  },
  {
    args: ['poddisruptionbudget', 'budget', '--selector=app=web', '--min-available=1'],
    says: 'poddisruptionbudget.policy/budget created',
    since: 21,
    holds: ['{.spec.minAvailable}', /^1$/],
  },
  {
    args: ['ingress', 'door', '--rule=example.com/*=web:80'],
    says: 'ingress.networking.k8s.io/door created',
    holds: ['{.spec.rules[0].host} {.spec.rules[0].http.paths[0].pathType}', /^example\.com Prefix$/],
  },
];

kubectlSuite('create', ({ ok, fails, run, file, minor }) => {
  describe('with a generator', () => {
    for (const { args, says, holds, since = 0 } of CREATED) {
      const [kind = '', ...rest] = args;
      it.runIf(minor >= since).concurrent(`${kind} ${rest[0] ?? ''}`, async () => {
        expect(await ok(['create', ...args])).toBe(`${says}\n`);
        const [path, value] = holds;
        const name = says.slice(0, says.indexOf(' '));
        expect(await ok(['get', name, '-o', `jsonpath=${path}`])).toMatch(value);
      });
    }

    it.concurrent('cluster-wide objects', async () => {
      expect(await ok(['create', 'clusterrole', `reader-${minor}`, '--verb=get', '--resource=nodes'])).toBe(
        `clusterrole.rbac.authorization.k8s.io/reader-${minor} created\n`,
      );
      expect(
        await ok(['create', 'clusterrolebinding', `readers-${minor}`, `--clusterrole=reader-${minor}`, '--user=jane']),
      ).toBe(`clusterrolebinding.rbac.authorization.k8s.io/readers-${minor} created\n`);
      expect(await ok(['create', 'priorityclass', `high-${minor}`, '--value=1000'])).toBe(
        `priorityclass.scheduling.k8s.io/high-${minor} created\n`,
      );
      expect(await ok(['create', 'namespace', `extra-${minor}`])).toBe(`namespace/extra-${minor} created\n`);
      expect(
        await ok(['get', 'namespace', `extra-${minor}`, '-o', 'jsonpath={.status.phase} {.spec.finalizers[0]}']),
      ).toBe('Active kubernetes');
    });

    it.concurrent('a TLS secret from its files', async () => {
      const [key, certificate] = [file('tls.key', ''), file('tls.crt', '')];
      execFileSync(
        'openssl',
        [
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:prime256v1',
          '-nodes',
          '-keyout',
          key,
          '-out',
          certificate,
          '-days',
          '1',
          '-subj',
          '/CN=test',
        ],
        { stdio: 'ignore' },
      );
      expect(await ok(['create', 'secret', 'tls', 'tls', `--cert=${certificate}`, `--key=${key}`])).toBe(
        'secret/tls created\n',
      );
      expect(await ok(['get', 'secret', 'tls', '-o', 'jsonpath={.type}'])).toBe('kubernetes.io/tls');
    });

    it.runIf(minor >= 21).concurrent('a job from a cron job', async () => {
      await ok(['create', 'cronjob', 'source', '--image=busybox', '--schedule=@daily', '--', 'date']);
      expect(await ok(['create', 'job', 'now', '--from=cronjob/source'])).toBe('job.batch/now created\n');
      expect(await ok(['get', 'job', 'now', '-o', 'jsonpath={.metadata.ownerReferences[0].kind}'])).toBe('CronJob');
    });
  });

  describe('from manifests', () => {
    it.concurrent('a folder, several documents, standard input', async () => {
      const folder = join(file('marker', ''), '..', 'folder');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'one.json'), JSON.stringify(configMapOf('one', { a: '1' })));
      writeFileSync(
        join(folder, 'two.yaml'),
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: two}\n---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: three\nstringData: {a: b}\n',
      );
      expect(await ok(['create', '-f', folder])).toBe(
        'configmap/one created\nconfigmap/two created\nsecret/three created\n',
      );
      expect(await ok(['create', '-f', '-'], { input: JSON.stringify(configMapOf('four', {})) })).toBe(
        'configmap/four created\n',
      );
      expect(await ok(['get', 'secret', 'three', '-o', 'jsonpath={.data.a}{.stringData}'])).toBe('Yg==');
    });

    it.concurrent('keeps what was said with --save-config', async () => {
      await ok(['create', '--save-config', '-f', '-'], { input: JSON.stringify(configMapOf('saved', { a: '1' })) });
      expect(await ok(['apply', 'view-last-applied', 'configmap/saved', '-o', 'json'])).toContain('"a": "1"');
    });

    it.concurrent('gives a name where only its beginning is said', async () => {
      const input = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'some-' } });
      expect(await ok(['create', '-f', '-'], { input })).toMatch(/^configmap\/some-[a-z0-9]{5} created\n$/);
    });

    it.concurrent('checks fields as told', async () => {
      const wrong = JSON.stringify({
        ...podOf('wrong'),
        spec: { containers: [{ name: 'main', image: 'nginx', imagee: 'typo' }] },
      });
      const create = (...flags: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
        run(['create', '--dry-run=server', '-f', '-', ...flags], { input: wrong });
      const strict = await create();
      expect(strict.code).toBe(1);
      expect(strict.stderr).toContain(
        minor >= 25
          ? 'Error from server (BadRequest): error when creating "STDIN": Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.containers[0].imagee"'
          : 'error validating data: ValidationError(Pod.spec.containers[0]): unknown field "imagee" in io.k8s.api.core.v1.Container',
      );
      const ignored = await create(minor >= 25 ? '--validate=ignore' : '--validate=false');
      expect(ignored).toMatchObject({ code: 0, stdout: 'pod/wrong created (server dry run)\n' });
      if (minor < 25) return;
      expect(await create('--validate=warn')).toMatchObject({
        code: 0,
        stderr: 'Warning: unknown field "spec.containers[0].imagee"\n',
      });
      expect(ignored.stderr).toBe('');
    });
  });

  describe('without doing it', () => {
    it.concurrent('on the client', async () => {
      const text = await ok(['create', 'configmap', 'dry', '--from-literal=a=1', '--dry-run=client', '-o', 'json']);
      expect(JSON.parse(text)).toMatchObject({ kind: 'ConfigMap', data: { a: '1' } });
      expect(await fails(['get', 'configmap', 'dry'])).toContain('not found');
    });

    it.concurrent('on the server, which fills in what it would have', async () => {
      const text = await ok(['run', 'dry', '--image=nginx', '--dry-run=server', '-o', 'json']);
      expect(JSON.parse(text)).toMatchObject({
        metadata: { uid: expect.stringMatching(/^[0-9a-f-]{36}$/), creationTimestamp: expect.stringMatching(/Z$/) },
        spec: { schedulerName: 'default-scheduler', serviceAccountName: 'default' },
        status: { phase: 'Pending', qosClass: 'BestEffort' },
      });
      expect(await fails(['get', 'pod', 'dry'])).toContain('not found');
    });
  });

  it.concurrent('runs a pod', async () => {
    expect(await ok(['run', 'ran', '--image=nginx', '--labels=app=ran', '--env=A=B', '--port=80', '--', 'serve'])).toBe(
      'pod/ran created\n',
    );
    const held = await ok([
      'get',
      'pod',
      'ran',
      '-o',
      'jsonpath={.metadata.labels.app} {.spec.containers[0].args[0]} {.spec.containers[0].env[0].value} {.spec.containers[0].ports[0].protocol}',
    ]);
    expect(held).toBe('ran serve B TCP');
    expect(await fails(['run', 'ran', '--image=nginx'])).toBe(
      'Error from server (AlreadyExists): pods "ran" already exists',
    );
  });

  it.concurrent('exposes and autoscales', async () => {
    await ok(['create', 'deployment', 'scaled', '--image=nginx', '--port=80']);
    expect(await ok(['expose', 'deployment', 'scaled', '--port=80'])).toBe('service/scaled exposed\n');
    expect(await ok(['autoscale', 'deployment', 'scaled', '--min=1', '--max=3', '--cpu-percent=50'])).toBe(
      'horizontalpodautoscaler.autoscaling/scaled autoscaled\n',
    );
    expect(await ok(['get', 'hpa', 'scaled', '-o', 'jsonpath={.spec.scaleTargetRef.name} {.spec.maxReplicas}'])).toBe(
      'scaled 3',
    );
  });
});
