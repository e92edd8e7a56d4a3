import { expect, it } from 'vitest';
import { kubectlSuite } from '../../support/kubectl-suite.ts';

const CRON = String.raw`^(\d+|\*)(/\d+)?(\s+(\d+|\*)(/\d+)?){4}$`;

/** One definition for each kubectl, because definitions belong to no namespace. */
const definition = (group: string, more: object = {}): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `crontabs.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', shortNames: ['ct'], categories: ['all'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'Does something now and then.',
            properties: {
              spec: {
                type: 'object',
                description: 'What is wanted.',
                required: ['cronSpec'],
                properties: {
                  cronSpec: { type: 'string', pattern: CRON, description: 'When.' },
                  image: { type: 'string', default: 'busybox' },
                  replicas: { type: 'integer', minimum: 1, maximum: 10 },
                },
                'x-kubernetes-validations': [
                  { rule: "!has(self.replicas) || self.image != 'single' || self.replicas == 1", message: 'one only' },
                ],
              },
              status: {
                type: 'object',
                properties: { replicas: { type: 'integer' }, labelSelector: { type: 'string' } },
              },
            },
          },
        },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.labelSelector',
          },
        },
        additionalPrinterColumns: [
          { name: 'Spec', type: 'string', jsonPath: '.spec.cronSpec' },
          { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
          { name: 'Image', type: 'string', jsonPath: '.spec.image', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        ...more,
      },
    ],
  },
});

kubectlSuite('custom resources', ({ ok, fails, file, minor, version }) => {
  const group = `v${version.replace('.', '-')}.example.com`;
  const name = `crontabs.${group}`;
  const resource = `crontabs.v1.${group}`;
  const cron = (object: string, spec: object): object => ({
    apiVersion: `${group}/v1`,
    kind: 'CronTab',
    metadata: { name: object },
    spec,
  });

  it('are defined, and served as soon as that is said', async () => {
    const crd = file('crd.json', definition(group));
    expect(await ok(['apply', '-f', crd])).toBe(`customresourcedefinition.apiextensions.k8s.io/${name} created\n`);
    await ok(['wait', '--for=condition=Established', `crd/${name}`, '--timeout=20s']);
    expect(await ok(['apply', '-f', crd])).toBe(`customresourcedefinition.apiextensions.k8s.io/${name} unchanged\n`);
    expect(await ok(['api-resources', '--api-group', group])).toMatch(/crontabs\s+ct\s.*true\s+CronTab/);
  });

  it('are applied, and refused when they are wrong', async () => {
    const mine = file('mine.json', cron('mine', { cronSpec: '* * * * */5', replicas: 2 }));
    expect(await ok(['apply', '-f', mine])).toBe(`crontab.${group}/mine created\n`);
    expect(await ok(['apply', '-f', mine])).toBe(`crontab.${group}/mine unchanged\n`);
    const bad = file('bad.json', cron('bad', { cronSpec: 'x', replicas: 20 }));
    expect(await fails(['apply', '--validate=false', '-f', bad])).toBe(
      [
        'The CronTab "bad" is invalid: ',
        `* spec.cronSpec: Invalid value: "x": spec.cronSpec in body should match '${CRON}'`,
        '* spec.replicas: Invalid value: 20: spec.replicas in body should be less than or equal to 10',
      ].join('\n'),
    );
    const rule = file('rule.json', cron('rule', { cronSpec: '* * * * *', replicas: 2, image: 'single' }));
    expect(await fails(['apply', '-f', rule])).toBe('The CronTab "rule" is invalid: spec: Invalid value: one only');
    const unknown = file('unknown.json', cron('unknown', { cronSpec: '* * * * *', foo: 1 }));
    expect(await fails(['create', '-f', unknown])).toMatch(
      minor >= 27 ? /strict decoding error: unknown field "spec\.foo"/ : /unknown field "foo"/,
    );
  });

  it('are shown with their columns, by short name and with all', async () => {
    const rows = async (...args: readonly string[]): Promise<readonly string[][]> =>
      (await ok(['get', ...args]))
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/));
    const [head, row] = await rows(resource);
    expect(head).toEqual(['NAME', 'SPEC', 'REPLICAS', 'AGE']);
    expect(row?.slice(0, 3)).toEqual(['mine', '* * * * */5', '2']);
    expect((await rows(resource, '-o', 'wide'))[0]).toEqual(['NAME', 'SPEC', 'REPLICAS', 'IMAGE', 'AGE']);
    expect(await ok(['get', 'all'])).toContain(`crontab.${group}/mine`);
    expect(await ok(['get', resource, 'mine', '-o', 'jsonpath={.spec.image}'])).toBe('busybox');
  });

  it('are explained', async () => {
    const explain = (path: string): Promise<string> => ok(['explain', path, '--api-version', `${group}/v1`]);
    expect(await explain('crontabs')).toContain('Does something now and then.');
    const spec = await explain('crontabs.spec');
    expect(spec).toContain('What is wanted.');
    expect(spec).toContain('When.');
  });

  it('are scaled, patched and edited by part', async () => {
    await ok(['scale', `${resource}/mine`, '--replicas=3']);
    expect(await ok(['get', resource, 'mine', '-o', 'jsonpath={.spec.replicas} {.metadata.generation}'])).toBe('3 2');
    await ok(['patch', resource, 'mine', '--type=merge', '-p', '{"spec":{"image":"alpine"}}']);
    await ok(['patch', resource, 'mine', '--type=json', '-p', '[{"op":"replace","path":"/spec/replicas","value":4}]']);
    expect(await fails(['patch', resource, 'mine', '--type=strategic', '-p', '{"spec":{}}'])).toMatch(
      /application\/strategic-merge-patch\+json is not supported by|unknown format/,
    );
    if (minor >= 24) {
      await ok(['patch', resource, 'mine', '--subresource=status', '--type=merge', '-p', '{"status":{"replicas":4}}']);
      expect(await ok(['get', resource, 'mine', '-o', 'jsonpath={.status.replicas} {.metadata.generation}'])).toBe(
        '4 4',
      );
    }
    await ok(['label', resource, 'mine', 'a=b']);
    expect(await ok(['get', resource, '-l', 'a=b', '-o', 'name'])).toBe(`crontab.${group}/mine\n`);
  });

  it('are applied by the server', async () => {
    const mine = file('server.json', cron('server', { cronSpec: '* * * * *' }));
    expect(await ok(['apply', '--server-side', '-f', mine])).toBe(`crontab.${group}/server serverside-applied\n`);
    expect(await ok(['apply', '--server-side', '-f', mine])).toBe(`crontab.${group}/server serverside-applied\n`);
    const other = file('other.json', cron('server', { cronSpec: '1 * * * *' }));
    expect(await fails(['apply', '--server-side', '--field-manager=other', '-f', other])).toContain('conflict');
  });

  it('change with their definition, at once', async () => {
    const column = { additionalPrinterColumns: [{ name: 'Image', type: 'string', jsonPath: '.spec.image' }] };
    await ok(['apply', '-f', file('crd.json', definition(group, column))]);
    expect((await ok(['get', resource])).split('\n')[0]).toMatch(/^NAME\s+IMAGE$/);
  });

  it('go with their definition', async () => {
    expect(await ok(['delete', 'crd', name])).toContain('deleted');
    expect(await fails(['get', resource])).toMatch(
      /the server (could not find|doesn't have) (the requested|a) resource/,
    );
  });
});
