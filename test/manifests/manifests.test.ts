/**
 * Manifests in the shape of well-known daemons and operators, as their charts render them. Each applies as it is, by the
 * client and by the server; applied again it changes nothing; it rolls out; deleted, it leaves nothing behind.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { eventually } from '../support/eventually.ts';
import { runKubectl, type Run } from '../support/kubectl.ts';
import { kubectlSuite } from '../support/kubectl-suite.ts';

const FOLDER = import.meta.dirname;
const SETS = readdirSync(FOLDER).flatMap((name) => /^([a-z-]+)\.yaml$/.exec(name)?.[1] ?? []);

/** Releases that know every version of the APIs used here. */
const NEW = 27;
/** Generous: a busy machine is no failure. */
const LIMIT_MS = 400_000;
const PATIENCE = '--timeout=120s';

interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** The manifest, and what needs its kinds: custom resources are applied once their definitions are served. */
const partsOf = (set: string): readonly string[] =>
  readdirSync(FOLDER)
    .filter((name) => name === `${set}.yaml` || name === `${set}.resources.yaml`)
    .sort((a, b) => a.length - b.length)
    .map((name) => join(FOLDER, name));

const objectsOf = (file: string): readonly Named[] =>
  parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as Named);

/**
 * kubectl compares what it applied with what it reads back, and sends again what is not read back as written: a list without
 * keys, an empty value, a field that is not kept when false. A kube-apiserver hears of the very same objects.
 */
const SENT_AGAIN: { readonly [set: string]: readonly string[] } = {
  'certificate-operator': [
    'configmap/certs-webhook',
    'mutatingwebhookconfiguration.admissionregistration.k8s.io/certs-webhook',
    'validatingwebhookconfiguration.admissionregistration.k8s.io/certs-webhook',
    'validatingadmissionpolicy.admissionregistration.k8s.io/certs-names',
  ],
  'cni-plugin': [
    'poddisruptionbudget.policy/mesh-operator',
    'customresourcedefinition.apiextensions.k8s.io/globalpolicies.net.mesh.example',
    'daemonset.apps/mesh-node',
  ],
  'csi-driver': ['poddisruptionbudget.policy/disk-csi-controller', 'daemonset.apps/disk-csi-node'],
  'ingress-controller': [
    'clusterrole.rbac.authorization.k8s.io/edge-all',
    'deployment.apps/edge-controller',
    'validatingwebhookconfiguration.admissionregistration.k8s.io/edge-admission',
  ],
  'log-shipper': [
    'priorityclass.scheduling.k8s.io/node-logging',
    'secret/registry',
    'secret/shipper-output',
    'configmap/shipper-luascripts',
    'daemonset.apps/shipper',
    'poddisruptionbudget.policy/shipper',
  ],
  'metrics-agent': ['daemonset.apps/agent', 'poddisruptionbudget.policy/store'],
};

const sentAgain = (file: string): readonly string[] =>
  (SENT_AGAIN[basename(file, '.yaml')] ?? []).map((name) => `${name} configured`);

const SIDES: readonly (readonly [who: string, flags: readonly string[]])[] = [
  ['client', []],
  ['server', ['--server-side']],
];

const WORKLOADS = new Set(['DaemonSet', 'Deployment', 'StatefulSet']);

kubectlSuite(
  'manifests of daemons and operators',
  (session) => {
    const { minor } = session;
    // Manifests say themselves which namespace they are for; a default would only contradict them.
    const run = (args: readonly string[]): Promise<Run> =>
      runKubectl(session, session.cluster.kubeconfigFile, args, { timeoutMs: 150_000 });
    const ok = async (args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await run(args);
      if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
      return stdout;
    };

    // One release is enough to ask the server: it does the work.
    const sides = minor < NEW ? SIDES.slice(0, 1) : SIDES;
    for (const set of SETS)
      for (const [who, flags] of sides)
        it(`applies ${set} by the ${who}, again, and deletes it`, () => walkThrough(set, flags), LIMIT_MS);

    async function walkThrough(set: string, side: readonly string[]): Promise<void> {
      const parts = partsOf(set);
      const apply = (file: string): Promise<string> => ok(['apply', ...side, '-f', file]);
      const done = side.length > 0 ? /serverside-applied$/ : /created$/;
      try {
        for (const file of parts) {
          const lines = (await apply(file)).trimEnd().split('\n');
          expect(lines.filter((line) => done.test(line))).toHaveLength(objectsOf(file).length);
          await established(file);
        }
        for (const file of parts) await rolledOut(file);
        for (const file of parts) {
          const before = await declared(file);
          const again = (await apply(file)).trimEnd().split('\n');
          if (side.length === 0 && minor >= NEW)
            expect(again.filter((line) => !line.endsWith(' unchanged'))).toEqual(sentAgain(file));
          expect(await declared(file)).toEqual(before);
          expect(await ok(['diff', ...side, '-f', file])).toBe('');
        }
      } finally {
        for (const file of parts.toReversed()) {
          await ok(['delete', '-f', file, '--ignore-not-found', PATIENCE]);
          expect(await ok(['get', '-f', file, '--ignore-not-found', '-o', 'name'])).toBe('');
        }
        for (const file of parts) await deserted(file);
      }
    }

    /** What people said, without what controllers and the server add to it. */
    async function declared(file: string): Promise<unknown> {
      const text = await ok(['get', '-f', file, '-o', 'json']);
      const { items = [JSON.parse(text)] } = JSON.parse(text) as { items?: { metadata: object }[] };
      return items.map((object) => ({
        ...object,
        metadata: { ...object.metadata, resourceVersion: '', managedFields: [] },
        status: {},
      }));
    }

    async function established(file: string): Promise<void> {
      const definitions = objectsOf(file).filter(({ kind }) => kind === 'CustomResourceDefinition');
      if (definitions.length === 0) return;
      const names = definitions.map(({ metadata }) => `crd/${metadata.name}`);
      await ok(['wait', '--for=condition=Established', ...names, PATIENCE]);
    }

    async function rolledOut(file: string): Promise<void> {
      for (const { kind, metadata } of objectsOf(file).filter((object) => WORKLOADS.has(object.kind))) {
        const target = ['-n', metadata.namespace ?? 'default', `${kind.toLowerCase()}/${metadata.name}`];
        // Who updates on delete has no rollout to wait for, and kubectl says so.
        const { code, stderr } = await run(['rollout', 'status', ...target, PATIENCE]);
        if (code !== 0) expect(stderr).toContain('rollout status is only available for RollingUpdate strategy type');
      }
    }

    /** Nothing that grew out of the manifest is left either. */
    async function deserted(file: string): Promise<void> {
      for (const namespace of new Set(objectsOf(file).map(({ metadata }) => metadata.namespace ?? 'default')))
        await eventually(() => ok(['get', 'pods,jobs,replicasets', '-n', namespace, '-o', 'name']), /^$/);
    }
  },
  // Names in manifests are for the whole cluster.
  { groups: [{ name: 'node', count: 3 }], apart: true },
);
