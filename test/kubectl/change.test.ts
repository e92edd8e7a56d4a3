import { beforeAll, describe, expect, it } from 'vitest';
import { chmodSync } from 'node:fs';
import { kubectlSuite } from '../support/kubectl-suite.ts';
import { configMapOf, listOf, podOf } from '../support/manifests.ts';

kubectlSuite('label, annotate, patch, edit, replace, scale, set', ({ ok, fails, file, minor }) => {
  beforeAll(async () => {
    const pods = ['labelled', 'annotated', 'patched', 'imaged'].map((name) => podOf(name, { labels: { app: name } }));
    const maps = ['edited', 'replaced'].map((name) => configMapOf(name, { a: '1' }));
    await ok(['create', '-f', '-'], { input: listOf(...pods, ...maps) });
    await ok(['create', 'deployment', 'web', '--image=nginx']);
  });

  /** Its own: a pod that has a node is told its zone besides. */
  const labelsOf = async (pod: string): Promise<unknown> => {
    const { metadata } = JSON.parse(await ok(['get', 'pod', pod, '-o', 'json'])) as { metadata: { labels: object } };
    const { 'topology.kubernetes.io/zone': _, ...own } = metadata.labels as Readonly<Record<string, string>>;
    return own;
  };

  it.concurrent('label: adds, refuses to overwrite, overwrites, removes', async () => {
    const label = ['label', 'pod', 'labelled'];
    expect(await ok([...label, 'x=1'])).toBe('pod/labelled labeled\n');
    expect(await fails([...label, 'x=2'])).toBe("error: 'x' already has a value (1), and --overwrite is false");
    expect(await ok([...label, 'x=2', '--overwrite'])).toBe('pod/labelled labeled\n');
    expect(await labelsOf('labelled')).toEqual({ app: 'labelled', x: '2' });
    expect(await ok([...label, 'x-'])).toBe(minor >= 22 ? 'pod/labelled unlabeled\n' : 'pod/labelled labeled\n');
    expect(await labelsOf('labelled')).toEqual({ app: 'labelled' });
    const listed = (await ok([...label, '--list'])).split('\n').filter((line) => !/\/zone=zone-\w$/.test(line));
    expect(listed).toEqual(['app=labelled', '']);
    expect(await fails([...label, 'bad key=1'])).toContain(
      'The Pod "labelled" is invalid: metadata.labels: Invalid value: "bad key": name part must consist of alphanumeric characters',
    );
    expect(await fails(['label', 'pod', 'labelled', 'x=3', '--resource-version=1'])).toContain(
      'the object has been modified',
    );
  });

  it.concurrent('label: many at once', async () => {
    expect(await ok(['label', 'configmaps', '--all', 'all=yes'])).toMatch(
      /configmap\/edited labeled\n(.*\n)*configmap\/replaced labeled\n/,
    );
    expect(await ok(['label', 'pods', '-l', 'app in (patched,imaged)', 'chosen=yes', '--dry-run=server'])).toBe(
      minor >= 22
        ? 'pod/imaged labeled (server dry run)\npod/patched labeled (server dry run)\n'
        : 'pod/imaged labeled\npod/patched labeled\n',
    );
  });

  it.concurrent('annotate: adds, overwrites, removes', async () => {
    const annotate = ['annotate', 'pod', 'annotated'];
    // 1.27 and 1.28 leave the last letter out.
    const DONE = /^pod\/annotated annotated?\n$/;
    expect(await ok([...annotate, 'note=hello there'])).toMatch(DONE);
    expect(await fails([...annotate, 'note=other'])).toMatch(
      /note.*already has a value \(hello there\)|--overwrite is false but found the following declared annotation\(s\): 'note' already has a value \(hello there\)/,
    );
    expect(await ok([...annotate, 'note=other', '--overwrite'])).toMatch(DONE);
    expect(await ok(['get', 'pod', 'annotated', '-o', 'jsonpath={.metadata.annotations.note}'])).toBe('other');
    expect(await ok([...annotate, 'note-'])).toMatch(DONE);
    expect(await ok(['get', 'pod', 'annotated', '-o', 'jsonpath={.metadata.annotations.note}'])).toBe('');
  });

  describe('patch', () => {
    const patch = (type: string, body: unknown, ...more: string[]): string[] => [
      'patch',
      'pod',
      'patched',
      `--type=${type}`,
      '-p',
      JSON.stringify(body),
      ...more,
    ];

    it('merges strategically, by name within lists', async () => {
      expect(await ok(patch('strategic', { spec: { containers: [{ name: 'main', image: 'nginx:2' }] } }))).toBe(
        'pod/patched patched\n',
      );
      expect(
        await ok([
          'get',
          'pod',
          'patched',
          '-o',
          'jsonpath={.spec.containers[*].image} {.spec.containers[0].terminationMessagePath}',
        ]),
      ).toBe('nginx:2 /dev/termination-log');
      expect(await ok(patch('strategic', { spec: { containers: [{ name: 'main', image: 'nginx:2' }] } }))).toBe(
        'pod/patched patched (no change)\n',
      );
    });

    it('merges as JSON', async () => {
      await ok(patch('merge', { metadata: { labels: { merged: 'yes' } } }));
      await ok(patch('merge', { metadata: { labels: { app: null } } }));
      expect(await labelsOf('patched')).toEqual({ merged: 'yes' });
    });

    it('follows JSON patch operations', async () => {
      await ok(
        patch('json', [
          { op: 'test', path: '/metadata/labels/merged', value: 'yes' },
          { op: 'add', path: '/metadata/labels/json', value: '1' },
        ]),
      );
      expect(await labelsOf('patched')).toEqual({ merged: 'yes', json: '1' });
      expect(await fails(patch('json', [{ op: 'remove', path: '/metadata/labels/none' }]))).toMatch(
        /^The request is invalid/,
      );
    });

    it('changes nothing that may not change', async () => {
      expect(await fails(patch('merge', { spec: { nodeName: 'elsewhere' } }))).toContain(
        'The Pod "patched" is invalid: spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`',
      );
      expect(await fails(patch('merge', { metadata: { name: 'other' } }))).toContain(
        'the name of the object (other) does not match the name on the URL (patched)',
      );
      expect(await fails(['patch', 'pod', 'nope', '-p', '{}'])).toBe(
        'Error from server (NotFound): pods "nope" not found',
      );
    });

    it.runIf(minor >= 24)('reaches the status subresource alone', async () => {
      await ok(
        patch(
          'merge',
          { status: { message: 'set' }, metadata: { labels: { ignored: 'yes' } } },
          '--subresource=status',
        ),
      );
      expect(await ok(['get', 'pod', 'patched', '--subresource=status', '-o', 'jsonpath={.status.message}'])).toBe(
        'set',
      );
    });
  });

  it.concurrent('edit: runs the editor, saves, and notices when nothing changed', async () => {
    const editor = file('editor.sh', '#!/bin/sh\nsed -i "s/a: \\"1\\"/a: edited/" "$1"\n');
    chmodSync(editor, 0o755);
    expect(await ok(['edit', 'configmap', 'edited'], { env: { KUBE_EDITOR: editor } })).toBe(
      'configmap/edited edited\n',
    );
    expect(await ok(['get', 'configmap', 'edited', '-o', 'jsonpath={.data.a}'])).toBe('edited');
    expect(await ok(['edit', 'configmap', 'edited'], { env: { KUBE_EDITOR: 'true' } })).toBe('');
  });

  it.concurrent('replace: takes the whole object, refuses an old one', async () => {
    const old = await ok(['get', 'configmap', 'replaced', '-o', 'json']);
    const path = file('replaced.json', configMapOf('replaced', { b: '2' }));
    expect(await ok(['replace', '-f', path])).toBe('configmap/replaced replaced\n');
    expect(await ok(['get', 'configmap', 'replaced', '-o', 'jsonpath={.data}'])).toBe('{"b":"2"}');
    expect(await fails(['replace', '-f', '-'], { input: old })).toBe(
      'Error from server (Conflict): error when replacing "STDIN": Operation cannot be fulfilled on configmaps "replaced": the object has been modified; please apply your changes to the latest version and try again',
    );
    expect(await fails(['replace', '-f', '-'], { input: JSON.stringify(configMapOf('nope', {})) })).toBe(
      'Error from server (NotFound): error when replacing "STDIN": configmaps "nope" not found',
    );
    expect(await ok(['replace', '--force', '-f', path])).toMatch(
      /configmap "replaced" deleted.*\nconfigmap\/replaced replaced\n/,
    );
  });

  describe('a deployment', () => {
    const spec = (path: string): Promise<string> => ok(['get', 'deployment', 'web', '-o', `jsonpath={.spec.${path}}`]);

    it('scale', async () => {
      expect(await ok(['scale', 'deployment', 'web', '--replicas=3'])).toBe('deployment.apps/web scaled\n');
      expect(await spec('replicas')).toBe('3');
      expect(await fails(['scale', 'deployment', 'web', '--replicas=4', '--current-replicas=9'])).toMatch(
        /[Ee]xpected replicas to be 9, was 3/,
      );
    });

    it('set image, env and resources', async () => {
      expect(await ok(['set', 'image', 'deployment/web', 'nginx=nginx:2'])).toBe('deployment.apps/web image updated\n');
      expect(await ok(['set', 'env', 'deployment/web', 'A=B'])).toBe('deployment.apps/web env updated\n');
      expect(await ok(['set', 'resources', 'deployment/web', '--limits=cpu=200m'])).toBe(
        'deployment.apps/web resource requirements updated\n',
      );
      const { image, env, resources } = JSON.parse(await spec('template.spec.containers[0]')) as {
        image: string;
        env: unknown;
        resources: unknown;
      };
      expect({ image, env, resources }).toEqual({
        image: 'nginx:2',
        env: [{ name: 'A', value: 'B' }],
        resources: { limits: { cpu: '200m' } },
      });
      expect(await fails(['set', 'image', 'deployment/web', 'nope=x'])).toContain(
        'unable to find container named "nope"',
      );
    });

    it('generation follows the spec, not the labels', async () => {
      const generation = (): Promise<string> =>
        ok(['get', 'deployment', 'web', '-o', 'jsonpath={.metadata.generation}']);
      const before = Number(await generation());
      await ok(['label', 'deployment', 'web', 'x=y']);
      expect(Number(await generation())).toBe(before);
      await ok(['scale', 'deployment', 'web', '--replicas=1']);
      expect(Number(await generation())).toBe(before + 1);
    });
  });
});
