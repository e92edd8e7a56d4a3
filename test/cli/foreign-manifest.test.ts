/** What a manifest that somebody else wrote can get out of the machine of whoever applies it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, type Outcome, run } from './run-cli.ts';

const THEIRS = 'hunter2-of-the-machine';

/** Takes its secrets from these places, and the login of its registry from a file that an annotation names. */
const foreign = (places: readonly string[], dockerConfig?: string): string => `
apiVersion: kubernetes.planton.dev/v1
kind: KubernetesDaemonSet
metadata:
  name: agent
  annotations:
    note: none
${dockerConfig === undefined ? '' : `    kubernetes.planton.dev/docker-config-json-file: ${JSON.stringify(dockerConfig)}`}
spec:
  namespace: foreign
  container:
    app:
      image: example.com/agent:1.0
      env:
        secrets:
${places.map((place, index) => `          S${index}: ${JSON.stringify(place)}`).join('\n')}
`;

function given(places: readonly string[], dockerConfig?: string): string {
  const home = folder();
  mkdirSync(join(home, 'got'));
  writeFileSync(join(home, 'outside'), THEIRS);
  writeFileSync(join(home, 'got', 'agent.yaml'), foreign(places, dockerConfig));
  return home;
}

/** As it would be sent: what is shown here would stand in the Secret. */
const shown = (home: string, more: readonly string[] = [], file = 'got/agent.yaml', stdin?: string): Promise<Outcome> =>
  run(['render', '-f', file, '--show-secrets', ...more], {
    home,
    env: { HOME: home, CLOUD_TOKEN: THEIRS },
    ...(stdin === undefined ? {} : { stdin }),
  });

const isIn = ({ stdout, stderr }: Outcome): boolean =>
  [THEIRS, Buffer.from(THEIRS).toString('base64')].some((text) => (stdout + stderr).includes(text));

describe('a manifest of somebody else', () => {
  it.each([
    ['an absolute path', (home: string) => `file:${join(home, 'outside')}`],
    ['a path that leads out', () => 'file:../outside'],
    ['a path that goes down first', () => 'file:sub/../../outside'],
    ['a link to a file', () => 'file:link'],
    ['a link to a folder', () => 'file:folder/outside'],
    ['the environment as a file', () => 'file:/proc/self/environ'],
    ['another process', () => `file:/proc/${process.pid}/environ`],
    ['accounts of the machine', () => 'file:/etc/passwd'],
    ['a device', () => 'file:/dev/zero'],
    ['a pipe that nobody writes to', () => 'file:pipe'],
    ['a hidden file', () => 'file:.netrc'],
    ['a variable', () => 'env:CLOUD_TOKEN'],
  ])('gets nothing by %s, and the message says why and what would allow it', async (what, place) => {
    const home = given([]);
    symlinkSync('../outside', join(home, 'got', 'link'));
    symlinkSync('..', join(home, 'got', 'folder'));
    execFileSync('mkfifo', [join(home, 'got', 'pipe')]);
    writeFileSync(join(home, 'got', '.netrc'), THEIRS);
    writeFileSync(join(home, 'got', 'agent.yaml'), foreign([place(home)]));
    const outcome = await shown(home);
    expect([outcome.code, outcome.stdout, isIn(outcome)]).toEqual([1, '', false]);
    if (what.startsWith('a pipe')) expect(outcome.stderr).toContain('is a pipe, a socket or a device');
    else {
      expect(outcome.stderr).toMatch(
        /agent\.yaml:16:\d+: spec\.container\.app\.env\.secrets\.S0: \S+ is not read: .*\[EN_COMPONENT_SECRET_REFUSED\]/,
      );
      expect(outcome.stderr).toMatch(what === 'a variable' ? /--allow-env CLOUD_TOKEN\)/ : /--allow-files \/\S+\)/);
    }
  });

  it('gets no Docker configuration of the machine either', async () => {
    const home = given(['x'], '../outside');
    writeFileSync(join(home, 'outside'), JSON.stringify({ auths: { 'a.io': { auth: THEIRS } } }));
    const outcome = await shown(home);
    expect([outcome.code, isIn(outcome)]).toEqual([1, false]);
    expect(outcome.stderr).toContain('EN_COMPONENT_SECRET_REFUSED');
  });

  it('gets what the flags allow, and every file and variable is told of before anything is sent', async () => {
    const home = given(['env:CLOUD_TOKEN', 'file:../outside', 'file:own']);
    writeFileSync(join(home, 'got', 'own'), 'beside');
    const outcome = await shown(home, ['--allow-env', 'OTHER,CLOUD_TOKEN', '--allow-files', '.']);
    expect(outcome.code).toBe(0);
    expect(outcome.stdout).toContain(Buffer.from(THEIRS).toString('base64'));
    expect(outcome.stderr.split('\n')).toEqual([
      'note: reads the variable CLOUD_TOKEN for a secret of got/agent.yaml',
      `note: reads the file ${join(home, 'outside')} for a secret of got/agent.yaml`,
      `note: reads the file ${join(home, 'got', 'own')} for a secret of got/agent.yaml`,
      '',
    ]);
    const applied = await run(['apply', '-f', 'got/agent.yaml', '--allow-env', '*', '--allow-files', '.'], {
      home,
      env: { KUBECONFIG: join(home, 'absent'), CLOUD_TOKEN: THEIRS },
    });
    expect([applied.code, isIn(applied)]).toEqual([1, false]);
    expect(applied.stderr).toMatch(/^note: reads the variable CLOUD_TOKEN[^]*\nerror: .*absent/);
  });

  it('from stdin has no folder of its own', async () => {
    const home = given([]);
    const refused = await shown(home, [], '-', foreign(['file:outside']));
    expect([refused.code, isIn(refused)]).toEqual([1, false]);
    expect(refused.stderr).toContain(`a manifest from stdin has no folder (if that is meant: --allow-files ${home})`);
    const allowed = await shown(home, ['--allow-files', '.'], '-', foreign(['file:outside']));
    expect([allowed.code, isIn(allowed)]).toEqual([0, true]);
  });

  it('is linted: what it reads, how grave that is, and what to do', async () => {
    const home = given(['env:CLOUD_TOKEN', 'file:../outside', 'file:own', 'literal'], '/root/.docker/config.json');
    const { code, stdout } = await run(['lint', '-f', 'got/agent.yaml', '-o', 'json'], { home });
    const { findings } = JSON.parse(stdout) as { findings: { rule: string; level: string; suggestion: string }[] };
    const told = findings.filter(({ rule }) => rule.startsWith('reads-'));
    expect(told.map(({ rule, level }) => `${rule} ${level}`)).toEqual([
      'reads-outside error',
      'reads-variable warning',
      'reads-outside error',
      'reads-file info',
    ]);
    expect(told.map(({ suggestion }) => suggestion).join()).toMatch(/--allow-files[^]*--allow-env CLOUD_TOKEN/);
    expect(code).toBe(1);
  });

  it('needs no value of the machine to be rendered', async () => {
    const home = given(['env:CLOUD_TOKEN', 'file:/etc/passwd']);
    const { code, stdout, stderr } = await run(['render', '-f', 'got/agent.yaml'], { home });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toContain(readFileSync('/etc/passwd', 'utf8').split('\n')[0] ?? '');
  });
});
