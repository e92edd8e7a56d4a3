import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { DaemonSet } from '../../api/types/apps-v1.ts';
import type { JsonObject } from '../../kube/json.ts';
import type { Mode } from '../render/mode.ts';
import { renderComponent } from '../render/render.ts';
import { type Parts, readParts } from '../testing/manifests.ts';
import type { LintOptions } from './contract/lint.ts';
import { lintComponent } from './lint-component.ts';
import { type LintName, LINTS } from './list.ts';

interface Provocation {
  readonly parts: Parts;
  readonly options?: LintOptions;
  readonly mode?: Mode;
}

const app = (fields: JsonObject): Provocation => ({ parts: { app: fields } });
const spec = (fields: JsonObject): Provocation => ({ parts: { spec: fields } });
const secrets = (value: JsonObject): Provocation => app({ env: { secrets: value } });
const compatible = (provocation: Provocation): Provocation => ({ ...provocation, mode: 'compatible' });
const mounts = (mount: JsonObject): Provocation =>
  app({ volumeMounts: [{ name: 'v', mountPath: '/etc/a.conf', ...mount }] });
const annotated = (name: string, reason: string): Provocation => ({
  parts: { metadata: { annotations: { [`lint.everynode.dev/${name}`]: reason } } },
});
const RULES = { clusterRules: [{ apiGroups: [''], resources: ['*'], verbs: ['get'] }] };
const refusing: NonNullable<LintOptions['podSecurity']> = () => [{ reason: 'host namespaces', detail: '' }];
const other = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'other', namespace: 'agents' },
  spec: {
    selector: { matchLabels: { app: 'daemonset' } },
    template: {
      metadata: { labels: { app: 'daemonset' } },
      spec: { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 1, hostPort: 9100 }] }] },
    },
  },
} as unknown as DaemonSet;

/** A manifest for each lint that provokes it: a new lint is not done before it has one. */
const PROVOCATIONS: { readonly [name in LintName]: Provocation } = {
  'pod-security': {
    parts: {},
    options: { podSecurity: refusing, namespaceLabels: { 'pod-security.kubernetes.io/enforce': 'baseline' } },
  },
  'pod-security-level': { parts: {}, options: { podSecurity: refusing } },
  'host-port-clash': {
    parts: { app: { ports: [{ name: 'a', containerPort: 9100, hostPort: 9100 }] } },
    options: { otherDaemons: [other] },
  },
  'selector-overlap': { parts: {}, options: { otherDaemons: [other] } },
  'missing-object': { parts: {}, options: { missing: [{ name: 's', text: 'the Secret s does not exist' }] } },
  'default-resources': app({}),
  'fraction-of-a-byte': app({ resources: { limits: { memory: '100m' } } }),
  'missing-limits': app({ resources: { limits: { cpu: '1' } } }),
  'missing-requests': app({ resources: {} }),
  'latest-image': app({ image: 'a:latest' }),
  privileged: app({ securityContext: { privileged: true } }),
  'capabilities-beside-privileged': app({
    securityContext: { privileged: true, capabilities: { add: ['NET_ADMIN'] } },
  }),
  'dangerous-capability': app({ securityContext: { capabilities: { add: ['SYS_ADMIN'] } } }),
  'capabilities-not-dropped': app({ securityContext: { capabilities: { add: ['NET_ADMIN'] } } }),
  'writable-host-path': mounts({ hostPath: { path: '/h' } }),
  'file-becomes-directory': compatible({
    parts: {
      app: { volumeMounts: [{ name: 'v', mountPath: '/etc/a.conf', configMap: { name: 'c', key: 'a.conf' } }] },
    },
  }),
  'missing-readiness': app({}),
  'literal-secret': secrets({ A: 'x' }),
  'secret-namespace-ignored': compatible(
    app({ env: { secrets: [{ name: 'A', secretRef: { namespace: 'x', name: 's', key: 'k' } }] } }),
  ),
  'tolerate-everything': spec({ tolerations: [{ operator: 'Exists' }] }),
  'retired-taint': spec({ tolerations: [{ key: 'node-role.kubernetes.io/master', operator: 'Exists' }] }),
  'bounds-without-effect': spec({ updateStrategy: { type: 'OnDelete', maxUnavailable: 1 } }),
  'rights-ignored': compatible(spec({ rbac: RULES })),
  'wildcard-rights': spec({ createServiceAccount: true, rbac: RULES }),
  'label-without-effect': { parts: { pod: { labels: { app: 'mine' } } } },
  'volume-without-source': compatible(mounts({})),
  'reads-outside': secrets({ A: 'file:/etc/passwd' }),
  'reads-variable': secrets({ A: 'env:A' }),
  'reads-file': secrets({ A: 'file:a' }),
  'unknown-silence': annotated('lates-image', 'x'),
  'silence-without-reason': annotated('latest-image', ' '),
};

describe('the list of lints', () => {
  it('holds every file of lints/, under the name of the file', () => {
    const files = readdirSync(fileURLToPath(new URL('lints/', import.meta.url)));
    const names = LINTS.map(({ name }) => `${name}.ts`);
    expect(files.filter((file) => !file.endsWith('.test.ts')).toSorted()).toEqual(names.toSorted());
  });

  it.each(LINTS.map(({ name }) => name))('%s is provoked by a manifest, and reported at its level', (name) => {
    const provocation: Provocation | undefined = PROVOCATIONS[name];
    expect(
      provocation,
      `add a manifest that provokes the lint to PROVOCATIONS in src/core/component/lint/list.test.ts: '${name}': app({ … }),`,
    ).toBeDefined();
    const { parts, options, mode = 'safe' } = provocation;
    const read = readParts(parts);
    const findings = lintComponent(read, renderComponent(read.component, { mode }), options);
    const level = LINTS.find((lint) => lint.name === name)?.level;
    expect(findings).toContainEqual(expect.objectContaining({ rule: name, level }));
  });
});
