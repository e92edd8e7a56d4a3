import { expect, it } from 'vitest';
import { kubectlSuite } from '../../support/kubectl-suite.ts';
import { listOf } from '../../support/manifests.ts';
import { operatorSet } from '../operator-set.ts';

kubectlSuite('the definitions of an operator', ({ ok, fails, file, run, version }) => {
  const group = `op-${version.replace('.', '-')}.example.com`;
  const set = operatorSet(group);

  it('apply unchanged, however large', async () => {
    const path = file('set.json', listOf(...set));
    expect(JSON.stringify(set).length).toBeGreaterThan(400_000);
    const applied = await ok(['apply', '--server-side', '-f', path]);
    expect(applied.trimEnd().split('\n')).toHaveLength(set.length);
    await ok([
      'wait',
      '--for=condition=Established',
      '--timeout=30s',
      ...set.map(({ metadata }) => `crd/${metadata.name}`),
    ]);
    expect(await ok(['apply', '--server-side', '-f', path])).toContain('serverside-applied');
  });

  it('serve their objects', async () => {
    const certificate = (spec: object): object => ({
      apiVersion: `${group}/v1`,
      kind: 'Certificate',
      metadata: { name: 'web' },
      spec: { secretName: 'web-tls', issuerRef: { name: 'ca' }, dnsNames: ['a.example.com'], ...spec },
    });
    await ok(['apply', '-f', file('web.json', certificate({ privateKey: {}, duration: '24h', renewBefore: '1h' }))]);
    const resource = `certificates.v1.${group}`;
    const shown = (await ok(['get', resource, 'web']))
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(shown[0]).toEqual(['NAME', 'READY', 'SECRET', 'AGE']);
    // Nobody has said whether it is ready: that cell is empty.
    expect(shown[1]?.slice(0, 2)).toEqual(['web', 'web-tls']);
    expect(await ok(['get', resource, 'web', '-o', 'jsonpath={.spec.privateKey.algorithm}'])).toBe('RSA');
    const late = file('late.json', certificate({ duration: '1h', renewBefore: '2h' }));
    expect(await fails(['apply', '-f', late])).toContain('renewBefore must be shorter than duration');
    const both = file('both.json', certificate({ isCA: true }));
    expect(await fails(['apply', '-f', both])).toContain(
      '"spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    );
  });

  it('warn of versions that are going', async () => {
    const resource = `certificates.v1beta1.${group}`;
    const { stderr, stdout } = await run(['get', resource, '-o', 'name']);
    expect(stdout).toBe(`certificate.${group}/web\n`);
    expect(stderr).toContain(`${group}/v1beta1 Certificate is deprecated; use ${group}/v1 Certificate`);
  });

  it('go again', async () => {
    await ok(['delete', 'crd', ...set.map(({ metadata }) => metadata.name)]);
    expect(await ok(['get', 'crd', '-o', 'name'])).not.toContain(group);
  });
});
