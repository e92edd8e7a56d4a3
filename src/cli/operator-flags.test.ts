import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addOperatorCommand, type OperatorFlags } from './operator-command.ts';
import type { CliError } from './support/cli-error.ts';
import { readOperatorFlags } from './operator-flags.ts';

/** Flags as commander parses them. */
function flagsOf(...args: string[]): OperatorFlags {
  const program = new Command().exitOverride();
  addOperatorCommand(program);
  const command = program.commands[0] as Command;
  let flags: OperatorFlags | undefined;
  command
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .action((read: OperatorFlags) => void (flags = read));
  program.parse(['operator', ...args], { from: 'user' });
  return flags as OperatorFlags;
}

const read = (args: readonly string[], env: NodeJS.ProcessEnv = {}, podNamespace?: string) =>
  readOperatorFlags(flagsOf(...args), { env, podNamespace, uuid: () => 'uuid' });

describe('flags of the operator', () => {
  it('have safe defaults: one acts, nothing is reachable from outside, Kubernetes keeps its work', () => {
    expect(read(['--instance', 'me'])).toEqual({
      controllers: ['*'],
      instance: 'me',
      insteadOfUpstream: false,
      election: {
        namespace: 'kube-system',
        name: 'everynode-operator',
        identity: 'me_uuid',
        leaseDurationMs: 15_000,
        renewDeadlineMs: 10_000,
        retryPeriodMs: 2000,
      },
      qps: 100,
      burst: 200,
      health: { bind: '127.0.0.1', port: 8081 },
      metrics: { bind: '127.0.0.1', port: 8080 },
      initialState: 'pages',
    });
  });

  it("take the pod's name and namespace where there is a pod", () => {
    const inPod = read([], { POD_NAME: 'operator-0' }, 'everynode');
    expect([inPod.instance, inPod.election?.namespace]).toEqual(['operator-0', 'everynode']);
    expect(read([], { POD_NAMESPACE: 'other' }, 'everynode').election?.namespace).toBe('other');
    const told = read(['--leader-elect-resource-namespace', 'told'], { POD_NAMESPACE: 'other' }, 'everynode');
    expect(told.election?.namespace).toBe('told');
  });

  it('are read as Kubernetes spells them', () => {
    expect(read(['--leader-elect=false']).election).toBe(undefined);
    expect(read(['--leader-elect']).election).toBeDefined();
    expect(read(['--leader-elect=true']).election).toBeDefined();
    const times = ['--leader-elect-lease-duration=1m', '--leader-elect-renew-deadline=40s'];
    expect(read(times).election).toMatchObject({ leaseDurationMs: 60_000, renewDeadlineMs: 40_000 });
    expect(read(['--kube-api-qps=0'])).not.toHaveProperty('qps');
    expect(read(['--kube-api-qps=2.5', '--kube-api-burst=7'])).toMatchObject({ qps: 2.5, burst: 7 });
    expect(read(['--controllers', ' daemonset , -scheduler']).controllers).toEqual(['daemonset', '-scheduler']);
    expect(read(['--guardian-image=mirror.test/pause:3'])).toMatchObject({ guardianImage: 'mirror.test/pause:3' });
    expect(read([])).not.toHaveProperty('guardianImage');
  });

  it('serve webhooks where a port is given, with certificates of the leader or with those of a directory', () => {
    expect(read([])).not.toHaveProperty('webhooks');
    expect(read(['--webhook-port=9443'], {}, 'everynode').webhooks).toEqual({
      bind: '127.0.0.1',
      port: 9443,
      certificates: { kind: 'self-managed', namespace: 'everynode', name: 'everynode-webhook' },
    });
    const named = ['--webhook-port=0', '--webhook-bind-address=::', '--webhook-name=a', '--webhook-namespace=b'];
    expect(read([...named, '--webhook-cert-lifetime=6m']).webhooks).toMatchObject({
      bind: '::',
      port: 0,
      certificates: { namespace: 'b', name: 'a', policy: { servingMs: 360_000, overlapMs: 4000 } },
    });
    expect(read(['--webhook-port=1', '--webhook-cert-dir=/x', '--bind-address=0.0.0.0']).webhooks).toEqual({
      bind: '0.0.0.0',
      port: 1,
      certificates: { kind: 'mounted', directory: '/x' },
    });
    // Not the namespace of the Lease: the Service is where the pods are.
    const elsewhere = ['--webhook-port=1', '--leader-elect-resource-namespace=leases'];
    expect(read(elsewhere, {}, 'own').webhooks).toMatchObject({ certificates: { namespace: 'own' } });
  });

  it.each([
    [['--controllers=nobody'], '"nobody" is not in the list of known controllers'],
    [['--controllers=-rollout-driver'], 'switches every controller off'],
    [['--controllers='], 'switches every controller off'],
    [['--guardian-image='], '--guardian-image is no name of an image'],
    [['--leader-elect=perhaps'], 'expected true or false'],
    [['--leader-elect-lease-duration=5s'], 'do not fit together'],
    [['--leader-elect-renew-deadline=2s'], 'do not fit together'],
    [['--leader-elect-retry-period=0s'], 'expected a time such as 15s'],
    [['--leader-elect-retry-period=soon'], 'expected a time such as 15s'],
    [['--leader-elect-resource-name=No Name'], 'expected the name of an object'],
    [['--health-port=65536'], 'from 0 to 65535'],
    [['--metrics-port=x'], 'from 0 to 65535'],
    [['--kube-api-qps=-1'], 'expected a number'],
    [['--kube-api-burst=0'], 'from 1 to'],
    [['--bind-address='], '--bind-address is empty'],
    [['--instance='], '--instance is empty'],
    [['--webhook-port=x'], 'invalid argument "x" for --webhook-port: expected a whole number from 0 to 65535'],
    [['--webhook-port='], 'for --webhook-port'],
    [['--webhook-name=a'], '--webhook-name is given, but no webhooks are served'],
    [['--webhook-cert-dir=/x'], '--webhook-cert-dir is given, but no webhooks are served'],
    [['--webhook-port=1', '--webhook-name=No Name'], 'for --webhook-name: expected the name of an object'],
    [['--webhook-port=1', '--webhook-namespace='], 'for --webhook-namespace: expected the name of an object'],
    [['--webhook-port=1', '--webhook-bind-address='], '--webhook-bind-address is empty'],
    [['--webhook-port=1', '--webhook-cert-dir='], '--webhook-cert-dir is empty'],
    [['--webhook-port=1', '--webhook-cert-lifetime=1s'], 'for --webhook-cert-lifetime: expected a time from 2m'],
    [
      ['--webhook-port=1', '--webhook-cert-lifetime=1h', '--webhook-cert-dir=/x'],
      'not for those in --webhook-cert-dir',
    ],
  ])('%j are refused in plain words', (args, words) => {
    expect(() => read(args)).toThrow(words);
  });

  it('say once which controllers there are', () => {
    for (const list of ['foo', '-foo', '']) {
      let said = '';
      try {
        read([`--controllers=${list}`]);
      } catch (error) {
        const { message, fix } = error as CliError;
        said = `${message}\n${fix ?? ''}`;
      }
      expect(said.match(/rollout-driver, component, daemonset, scheduler/g)).toHaveLength(1);
    }
  });
});
