/** KubernetesDaemonSet as kubectl sees it on the embedded cluster: defined like any other kind, and judged before it is stored. */
import { expect, it } from 'vitest';
import { API_VERSIONS, GENERATIONS } from '../../../src/core/api/component/generations.ts';
import { kubectlSuite } from '../../support/kubectl-suite.ts';

const component = (name: string, app: object = {}, apiVersion = API_VERSIONS[0]): object => ({
  apiVersion,
  kind: 'KubernetesDaemonSet',
  metadata: { name },
  spec: { namespace: 'logging', container: { app: { image: 'registry.example/agent:1.2.3', ...app } } },
});
const LITERAL = { env: { secrets: { TOKEN: 'hunter2' } } };
const REFERENCE = { env: { secrets: { TOKEN: { secretRef: { name: 'agent', key: 'token' } } } } };

kubectlSuite('KubernetesDaemonSet', (session) => {
  it('is defined by ordinary definitions, one for each group', async () => {
    const names = [
      ...new Set(
        GENERATIONS.map(({ group }) => `customresourcedefinition.apiextensions.k8s.io/kubernetesdaemonsets.${group}`),
      ),
    ];
    expect((await session.ok(['get', 'crd', '-o', 'name'])).trim().split('\n')).toEqual(names.toSorted());
    await session.ok(['wait', '--for=condition=Established', '--timeout=20s', ...names]);
  });

  it('is explained, field by field, under its short name and in the older groups', async () => {
    expect(await session.ok(['explain', 'kds'])).toMatch(/KIND:\s+KubernetesDaemonSet/);
    const app = await session.ok(['explain', 'kds.spec.container.app']);
    expect(app).toMatch(/image/);
    expect(app).toMatch(/livenessProbe/);
    for (const apiVersion of API_VERSIONS)
      expect(await session.ok(['explain', 'kubernetesdaemonsets.spec', `--api-version=${apiVersion}`])).toMatch(
        /createNamespace\s+<boolean>/,
      );
  });

  it('is refused with a secret in plain text, with the field and what to write instead', async () => {
    const file = session.file('literal.json', component('literal', LITERAL));
    const words = await session.fails(['apply', '-f', file]);
    expect(words).toMatch(
      /^The KubernetesDaemonSet "literal" is invalid: spec\.container\.app\.env\.secrets\.TOKEN: Forbidden/,
    );
    expect(words).toContain('secretRef: {name, key}');
    expect(words).not.toContain('hunter2');
    expect(await session.fails(['get', 'kds', 'literal'])).toContain('not found');
    // What is only tried is judged as well.
    expect(await session.fails(['apply', '--dry-run=server', '-f', file])).toContain('EN_COMPONENT_LITERAL_SECRET');
  });

  it('is refused with every mistake at once, each with its field', async () => {
    const mistakes = {
      ports: [
        { name: 'a', containerPort: 80 },
        { name: 'a', containerPort: 81 },
      ],
    };
    const words = await session.fails([
      'apply',
      '--validate=false',
      '-f',
      session.file('bad.json', component('bad', { ...LITERAL, ...mistakes })),
    ]);
    const fields = [...words.matchAll(/\* (spec[^:]*): (Forbidden|Invalid|Unsupported|Duplicate)/g)].map(
      ([, field]) => field,
    );
    expect(fields.length, words).toBeGreaterThanOrEqual(2);
    expect(fields[0]).toBe('spec.container.app.env.secrets.TOKEN');
    expect(words).not.toContain('hunter2');
  });

  it('is refused by its schema before, where kubectl says so in the words of any kind', async () => {
    const odd = session.file('odd.json', component('odd', { livenesProbe: {} }));
    expect(await session.fails(['apply', '-f', odd])).toMatch(/unknown field "(spec\.container\.app\.)?livenesProbe"/);
  });

  it.each(API_VERSIONS)('is stored as %s, with warnings, and changed only into something good', async (apiVersion) => {
    const name = `a-${apiVersion.replaceAll(/[^a-z0-9]/g, '-')}`;
    const resource = `kubernetesdaemonsets.${apiVersion.split('/').toReversed().join('.')}`;
    const latest = { image: 'registry.example/agent:latest', ...REFERENCE };
    const made = await session.run(['apply', '-f', session.file(`${name}.json`, component(name, latest, apiVersion))]);
    expect(made.code, made.stderr).toBe(0);
    expect(made.stderr).toContain('Warning: spec.container.app.image: the tag is latest');
    expect(await session.ok(['get', resource, name])).toMatch(/NAME\s+DESIRED\s+AVAILABLE\s+STATUS/);
    const patch = JSON.stringify({ spec: { container: { app: LITERAL } } });
    expect(await session.fails(['patch', resource, name, '--type=merge', '-p', patch])).toContain('TOKEN: Forbidden');
    await session.ok(['label', resource, name, 'team=platform']);
    await session.ok(['delete', resource, name]);
  });
});
