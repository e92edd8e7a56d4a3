import { spawn } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { BIN, folder, run } from './run-cli.ts';

describe('everynode, on a Node.js that is too old', () => {
  /** Whoever is not started anew by ourselves says to be of this version. */
  const pretending = (version: string, always = false): string =>
    `--import=data:text/javascript,${encodeURIComponent(
      `if (${always} || !process.env.EVERYNODE_STARTED_ANEW) Object.defineProperty(process.versions, 'node', { value: '${version}' })`,
    )}`;

  it('runs with the one that the clone has, with its input, output and exit code', async () => {
    const env = { NODE_OPTIONS: pretending('20.19.0') };
    const { code, stdout } = await run(['version', '-o', 'json'], { home: folder(), env });
    expect([code, (JSON.parse(stdout) as { node: string }).node]).toEqual([0, process.versions.node]);
    const bad = await run(['render', '-f', '-'], { home: folder(), env, stdin: '' });
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('no KubernetesDaemonSet in -')]);
  });

  it('says so where there is no other, and does not try for ever', async () => {
    const env = { NODE_OPTIONS: pretending('20.19.0', true) };
    const { code, stderr } = await run(['version'], { home: folder(), env });
    expect([code, stderr]).toEqual([1, expect.stringContaining('everynode needs Node.js 22.19 or newer')]);
  });
});

it('prints the definitions of its kind, complete and as names', async () => {
  const { code, stdout } = await run(['crds'], { home: folder() });
  expect(code).toBe(0);
  const definitions = parseAllDocuments(stdout).map(
    (each) => each.toJS() as { kind: string; metadata: { name: string }; spec: { versions: object[] } },
  );
  expect(new Set(definitions.map(({ kind }) => kind))).toEqual(new Set(['CustomResourceDefinition']));
  const names = definitions.map(({ metadata }) => metadata.name);
  expect(names).toContain('kubernetesdaemonsets.kubernetes.planton.dev');
  const listed = await run(['crds', '-o', 'name'], { home: folder() });
  expect(listed.stdout).toBe(names.map((name) => `customresourcedefinition.apiextensions.k8s.io/${name}\n`).join(''));
  const { items } = JSON.parse((await run(['crds', '-o', 'json'], { home: folder() })).stdout) as { items: object[] };
  expect(items).toEqual(definitions);
});

it('is never looked for in the registry by what people are told to type', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const pages = globSync(['*.md', 'docs/**/*.md', 'examples/**/*', 'deploy/**/*.{md,txt,yaml}', 'src/cli/**/*.ts'], {
    cwd: root,
    exclude: ['node_modules'],
  }).filter((file) => statSync(join(root, file)).isFile());
  expect(pages.length).toBeGreaterThan(20);
  const asking = pages.filter((file) => /npx (?:-y |--yes )?everynode/.test(readFileSync(join(root, file), 'utf8')));
  expect(asking).toEqual([]);
});

describe('everynode, asked for words', () => {
  it.each([[[]], [['--help']], [['help']]])('prints help on stdout for %j', async (args) => {
    const { code, stdout, stderr } = await run(args, { home: folder() });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const word of ['up', 'kubeconfig', 'version', 'completion', 'EVERYNODE_HOME', 'Exit codes'])
      expect(stdout).toContain(word);
  });

  it.each([
    [
      'up',
      [
        '--data-dir',
        '--ephemeral',
        '--port',
        '--bind',
        '--nodes',
        '--node-groups',
        '--controllers',
        '--write-kubeconfig',
        'Examples:',
      ],
    ],
    ['kubeconfig', ['--path']],
    ['version', ['--output', 'json']],
    ['completion', ['bash', 'zsh', 'fish', 'powershell']],
    ['orders', ['[name]', '--namespace', '--all-namespaces', '--output', 'adopt', 'no-room', 'Examples:']],
    ['tickets', ['[order]', '--node', '--namespace', 'Examples:']],
  ])('explains %s, asked either way', async (command, words) => {
    const home = folder();
    const asked = await run(['help', command], { home });
    const flag = await run([command, '--help'], { home });
    expect(asked.stdout).toBe(flag.stdout);
    expect([asked.code, flag.code]).toEqual([0, 0]);
    for (const word of words) expect(asked.stdout).toContain(word);
  });

  it('prints its version for people and for programs', async () => {
    const home = folder();
    const text = await run(['version'], { home });
    expect(text.stdout).toMatch(/^everynode \d+\.\d+\.\d+\nKubernetes API v1\.\d+\.\d+\S*\nNode\.js /);
    const json = JSON.parse((await run(['version', '-o', 'json'], { home })).stdout) as Record<string, string>;
    expect(Object.keys(json)).toEqual(['everynode', 'kubernetes', 'node']);
    expect(parse((await run(['version', '--output=yaml'], { home })).stdout)).toEqual(json);
    expect((await run(['--version'], { home })).stdout).toBe(`${json['everynode']}\n`);
  });

  it.each([
    [['ups'], 'Did you mean up?'],
    [['up', '--prot', '1'], 'Did you mean --port?'],
    [['nonsense'], "unknown command 'nonsense'"],
    [['version', '-o', 'xml'], 'Allowed choices are text, json, yaml'],
    [['completion', 'tcsh'], 'One of: bash, zsh, fish, powershell'],
    [['completion'], "missing required argument 'shell'"],
    [['up', '--ephemeral', '--data-dir', 'x'], "cannot be used with option '--ephemeral'"],
    [['up', '--nodes', '5', '--node-groups', 'x'], "cannot be used with option '--node-groups"],
    [['up', '--port', 'http'], 'invalid argument "http" for --port: expected a whole number from 0 to 65535'],
    [['up', '--port', '70000'], 'invalid argument "70000" for --port'],
    [['up', '--nodes', '-3'], 'for --nodes: expected a whole number from 0 to 200000'],
    [['up', '--nodes', '200001'], 'for --nodes'],
    [['up', '--bind='], '--bind is empty'],
    [['up', '--data-dir='], '--data-dir is empty'],
    [['up', '--log-level', 'loud'], 'Allowed choices are debug, info, warn, error, silent'],
    [['up', 'now'], 'too many arguments'],
    [['up', '--node-groups', 'absent.yaml'], 'cannot read --node-groups: ENOENT'],
    [['kubeconfig'], 'no kubeconfig at'],
  ])('says what is wrong with %j on stderr alone, and exits 1', async (args, message) => {
    const { code, stdout, stderr } = await run(args, { home: folder() });
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/^error: /);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  it('shows every problem of a node-groups file with file, line and column', async () => {
    const home = folder();
    writeFileSync(
      join(home, 'g.yaml'),
      'groups:\n  - name: A\n    count: many\n  - name: b\n    count: 1\n    tants: []\n',
    );
    const { code, stderr } = await run(['up', '--ephemeral', '--node-groups', 'g.yaml'], { home });
    expect(code).toBe(1);
    expect(stderr).toContain('error: 3 problems in g.yaml:');
    expect(stderr).toContain('g.yaml:2:11: groups[0].name: "A": expected a DNS name');
    expect(stderr).toContain('g.yaml:3:12: groups[0].count: "many": expected a whole number');
    expect(stderr).toContain('g.yaml:6:5: groups[1].tants: unknown field');
    expect(stderr).toContain('examples/node-groups.yaml');
  });

  it('is not disturbed by a reader that goes away', async () => {
    const child = spawn(
      'bash',
      ['-c', `"$0" "$1" completion bash | head -c 1; echo "\${PIPESTATUS[0]}"`, process.execPath, BIN],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => void (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => void (stderr += chunk.toString()));
    await new Promise((resolve) => child.once('close', resolve));
    expect(stdout).toMatch(/0\n$/);
    expect(stderr).toBe('');
  });

  it.each(['bash', 'zsh', 'fish', 'powershell'])('completes every command and flag in %s', async (shell) => {
    const { code, stdout } = await run(['completion', shell], { home: folder() });
    expect(code).toBe(0);
    for (const word of ['up', 'kubeconfig', 'version', 'completion']) expect(stdout).toContain(word);
    for (const flag of ['data-dir', 'node-groups', 'write-kubeconfig', 'output']) expect(stdout).toContain(flag);
  });

  it('completes in bash as one types', async () => {
    const { stdout: script } = await run(['completion', 'bash'], { home: folder() });
    const complete = (line: string): Promise<string> =>
      new Promise((resolve) => {
        const words = line.split(' ');
        const text = `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _everynode; echo "\${COMPREPLY[@]}"`;
        const child = spawn('bash', ['-c', text], { stdio: ['ignore', 'pipe', 'inherit'] });
        let out = '';
        child.stdout.on('data', (chunk: Buffer) => void (out += chunk.toString()));
        child.once('close', () => resolve(out.trim()));
      });
    expect(await complete('everynode u')).toBe('up undo user');
    expect(await complete('everynode us')).toBe('user');
    expect(await complete('everynode user a')).toBe('add');
    expect(await complete('everynode user add --gr')).toBe('--group');
    expect(await complete('everynode up --node')).toBe('--nodes --node-groups');
    expect(await complete('everynode version -o ')).toBe('text json yaml');
    expect(await complete('everynode version --output j')).toBe('json');
    expect(await complete('everynode completion f')).toBe('fish');
    expect(await complete('everynode help k')).toBe('kubeconfig');
    expect(await complete('everynode init n')).toBe('node-monitor network-plugin');
    expect(await complete('everynode render -o ')).toBe('yaml json name');
    expect(await complete('everynode apply --force')).toBe('--force-conflicts');
    expect(await complete('everynode orders a')).toBe('adopt');
    expect(await complete('everynode orders -o ')).toBe('table wide name json yaml');
    expect(await complete('everynode orders adopt --po')).toBe('--pods');
    expect(await complete('everynode tickets --no')).toBe('--node');
  });

  it('is found by kubectl as a plugin', async () => {
    const home = folder();
    const bin = join(home, 'bin');
    mkdirSync(bin);
    symlinkSync(BIN, join(bin, 'kubectl-everynode'));
    const { code, stdout } = await run(['version'], { home, bin: join(bin, 'kubectl-everynode') });
    expect(code).toBe(0);
    expect(stdout).toContain('everynode');
  });
});
