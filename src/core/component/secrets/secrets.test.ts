import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MASK, SecretText } from '../../api/component/secret-text.ts';
import { loadManifests, prepareComponents, readObject } from '../load/load.ts';
import { lintComponent } from '../lint/lint-component.ts';
import { printObjects, printYaml } from '../print/print-yaml.ts';
import { problemText } from '../problem.ts';
import { revealed } from '../render/render.ts';
import { brief, manifestOf, type Parts, readParts, textOf } from '../testing/manifests.ts';
import { checkComponent } from '../validate/check-component.ts';
import { literalSecretProblems, type SecretSource } from './secret-source.ts';

const source = (
  env: { readonly [name: string]: string },
  files: { readonly [path: string]: string } = {},
): SecretSource => ({
  env: (name) => env[name],
  file: (path) => files[path],
});
const prepare = (parts: Parts, secrets?: SecretSource) =>
  prepareComponents(loadManifests([{ file: 'm.yaml', text: textOf(parts) }]), secrets === undefined ? {} : { secrets });
const secretOf = (objects: readonly object[]) =>
  (objects.find((object) => (object as { kind: string }).kind === 'Secret') as { data: { [key: string]: string } })
    .data;

describe('SecretText', () => {
  it('shows a mask, however it is looked at', () => {
    const secret = SecretText.literal('hunter2');
    const shown = [
      ''.concat(secret as unknown as string),
      String(secret),
      JSON.stringify({ secret }),
      inspect({ secret }, { depth: 9, showHidden: true }),
      [secret].join(),
      JSON.stringify(Object.entries(secret)),
      secret.describe(),
      printYaml({ secret }),
    ];
    for (const text of shown) expect(text).not.toContain('hunter2');
    expect(String(secret)).toBe(MASK);
    expect(JSON.stringify(Object.assign({}, secret))).not.toContain('hunter2');
  });

  it('says where it comes from', () => {
    expect(SecretText.written('env:A').origin).toEqual({ from: 'env', name: 'A' });
    expect(SecretText.written('file:a/b').origin).toEqual({ from: 'file', path: 'a/b' });
    expect(SecretText.written('literal:env:A').reveal()).toBe('env:A');
    expect(SecretText.written('x').reveal()).toBe('x');
    expect(SecretText.written('env:A').reveal()).toBeUndefined();
  });
});

describe('values', () => {
  const parts: Parts = {
    app: { env: { secrets: { A: 'env:TOKEN', B: 'file:secrets/b', C: 'plain' } } },
    pod: { imageRegistries: [{ server: 'a.io', username: 'u', password: 'env:PASS' }] },
  };

  it('that cannot be read are told with their places, all at once', async () => {
    const { problems } = await prepare(
      { metadata: { annotations: { 'kubernetes.planton.dev/docker-config-json-file': 'd.json' } }, ...parts },
      {
        env: () => undefined,
        file: (path) => {
          throw new Error(`${path} is a folder`);
        },
      },
    );
    expect(problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      'spec.container.app.env.secrets.A: nothing was found at env:TOKEN',
      'spec.container.app.env.secrets.B: file:secrets/b cannot be read: secrets/b is a folder',
      'spec.pod.imageRegistries[0].password: nothing was found at env:PASS',
      'metadata.annotations["kubernetes.planton.dev/docker-config-json-file"]: file:d.json cannot be read: d.json is a folder',
    ]);
  });

  it('are looked up where the manifest says', async () => {
    const { components, problems } = await prepare(parts, source({ TOKEN: 't', PASS: 'p' }, { 'secrets/b': 'b\n' }));
    expect(problems).toEqual([]);
    const objects = revealed(components[0]?.rendered.objects ?? []);
    const data = secretOf(objects);
    expect(Object.values(data).map((value) => Buffer.from(value, 'base64').toString())).toEqual(['t', 'b', 'plain']);
  });

  it('that are not there are told by place, not by guess', async () => {
    const { problems } = await prepare(parts, source({ PASS: 'p' }));
    expect(problems.map(problemText)).toEqual([
      'm.yaml:14:14: spec.container.app.env.secrets.A: nothing was found at env:TOKEN (export TOKEN before you apply it) [EN_COMPONENT_SECRET]',
      'm.yaml:15:14: spec.container.app.env.secrets.B: nothing was found at file:secrets/b (create the file secrets/b, relative to the current folder) [EN_COMPONENT_SECRET]',
    ]);
  });

  it('need not be known to look at the rest, but to apply it', async () => {
    const { components, problems } = await prepare(parts);
    expect(problems).toEqual([]);
    const objects = components[0]?.rendered.objects ?? [];
    expect(printObjects(objects, { showSecrets: true })).toContain('everynode.dev/checksum-secrets: unresolved');
    expect(() => revealed(objects)).toThrowError(
      expect.objectContaining({ code: 'EN_COMPONENT_SECRET_UNRESOLVED' }) as Error,
    );
  });

  it('in sidecars and init containers are looked up, too', async () => {
    const { components } = await prepare(
      {
        sidecars: [{ name: 's', image: 'a:1', env: { secrets: { X: 'env:X' } } }],
        pod: { initContainers: [{ name: 'i', image: 'a:1', env: { secrets: { Y: 'env:Y' } } }] },
      },
      source({ X: 'x', Y: 'y' }),
    );
    expect(secretOf(revealed(components[0]?.rendered.objects ?? []))).toEqual({ X: 'eA==', Y: 'eQ==' });
  });
});

describe('custom resources', () => {
  it('may not hold the value of a secret; the alternative is named', () => {
    const read = readObject(
      manifestOf({
        app: { env: { secrets: { A: 'hunter2', B: 'env:B', C: { secretRef: { name: 's', key: 'k' } } } } },
      }),
    );
    const problems = literalSecretProblems(read);
    expect(brief(problems)).toEqual([
      'EN_COMPONENT_LITERAL_SECRET spec.container.app.env.secrets.A',
      'EN_COMPONENT_LITERAL_SECRET spec.container.app.env.secrets.B',
    ]);
    expect(problems[0]?.suggestion).toContain('secretRef');
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });

  it('nor a password of a registry', () => {
    const read = readObject(manifestOf({ pod: { imageRegistries: [{ server: 'a', username: 'u', password: 'p' }] } }));
    expect(brief(literalSecretProblems(read))).toEqual([
      'EN_COMPONENT_LITERAL_SECRET spec.pod.imageRegistries[0].password',
    ]);
  });
});

describe('nothing that is shown', () => {
  const token = fc.string({
    unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789'.split('')),
    minLength: 20,
    maxLength: 24,
  });

  it('holds a secret, or its base64, whatever else is wrong with the manifest', async () => {
    await fc.assert(
      fc.asyncProperty(token, token, token, fc.boolean(), async (one, two, three, isBroken) => {
        const parts: Parts = {
          app: {
            env: { secrets: { A: one, B: 'env:B', ...(isBroken ? { 'bad-name': one } : {}) } },
            ...(isBroken ? { nope: 1, ports: [{ name: 'X' }] } : {}),
          },
          pod: { imageRegistries: [{ server: 'a.io', username: 'u', password: two }] },
          sidecars: [
            { name: 's', image: 'a:1', env: { secrets: [{ name: 'A', value: isBroken ? { x: three } : three }] } },
          ],
        };
        const { components, problems } = await prepare(parts, source({ B: three }));
        const outputs = [
          JSON.stringify(problems),
          problems.map(problemText).join('\n'),
          inspect(components, { depth: 20 }),
          JSON.stringify(components),
        ];
        for (const { read, rendered } of components) {
          outputs.push(
            printObjects(rendered.objects),
            printYaml(read.component),
            inspect(read, { depth: 20 }),
            JSON.stringify(checkComponent(read).problems),
            JSON.stringify(lintComponent(read, rendered)),
          );
        }
        for (const secret of [one, two, three]) {
          for (const output of outputs) {
            expect(output).not.toContain(secret);
            expect(output).not.toContain(Buffer.from(secret).toString('base64').replace(/=+$/, ''));
          }
        }
      }),
      { numRuns: 25 },
    );
  });

  const S = 'hunter2';
  it.each<[string, Parts]>([
    ['in the place of a reference', { app: { env: { secrets: { A: { secretRef: S } } } } }],
    ['in the place of another one', { app: { env: { secrets: { A: { valueFrom: S } } } } }],
    [
      'in a field of a reference',
      { app: { env: { secrets: { A: { secretRef: { name: 's', key: 'k', optional: S } } } } } },
    ],
    ['in a name', { app: { env: { secrets: [{ name: `TOKEN=${S}` }] } } }],
    ['in a key', { app: { env: { secrets: { [`TOKEN=${S}`]: 'x' } } } }],
    ['in a list', { app: { env: { secrets: [`TOKEN=${S}`] } } }],
    ['in a list of a value', { app: { env: { secrets: { A: { value: [S] } } } } }],
    ['in a misspelt field', { app: { env: { secrets: { A: { valeu: S } } } } }],
    ['in the place of all secrets', { app: { env: { secrets: S } } }],
    ['in the place of the environment', { app: { env: S } }],
    ['as a number of a login', { pod: { imageRegistries: [{ server: 'a', username: 'u', password: { S } }] } }],
    ['in a misspelt login', { pod: { imageRegistries: [{ server: 'a', username: 'u', pasword: S }] } }],
    ['in a login that is one text', { pod: { imageRegistries: [`u:${S}@a.io`] } }],
    [
      'in the name of a registry that stands twice',
      { pod: { imageRegistries: [1, 2].map(() => ({ server: `https://u:${S}@a.io`, username: 'u', password: 'p' })) } },
    ],
  ])('holds a secret that was written %s', async (_, parts) => {
    const { problems } = await prepare(parts);
    expect(problems).not.toEqual([]);
    expect(problems.map(problemText).join('\n') + JSON.stringify(problems)).not.toContain(S);
  });

  it('holds the password inside a composed login', async () => {
    const { components } = await prepare(
      { pod: { imageRegistries: [{ server: 'a', username: 'u', password: 'hunter2hunter2' }] } },
      source({}),
    );
    const shown = printObjects(components[0]?.rendered.objects ?? []);
    expect(shown).not.toContain(Buffer.from('u:hunter2hunter2').toString('base64'));
    expect(shown).toContain('<masked>');
  });

  it('is left of a component that is read from an object', () => {
    const read = readParts({ app: { env: { secrets: { A: 'hunter2' } } } });
    expect(inspect(read, { depth: 30, showHidden: true })).not.toContain('hunter2');
  });
});
