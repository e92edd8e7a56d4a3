import { describe, expect, it } from 'vitest';
import { CATALOGUE } from './catalogue.ts';
import { readSelection, selectableNames, selectControllers } from './select.ts';

const EMBEDDED = selectableNames('embedded');
const running = (...selection: readonly string[]): readonly string[] =>
  selectControllers('embedded', selection)
    .map(({ row }) => row.name)
    .filter((name) => EMBEDDED.includes(name));
const names = (...selection: string[]): readonly string[] =>
  selectControllers('operator', selection).map(({ row }) => row.name);

describe('the choice of controllers', () => {
  it('is all of them unless said', () => {
    const chosen = selectControllers('embedded').map(({ row }) => row.name);
    expect(EMBEDDED.filter((name) => !chosen.includes(name))).toEqual([]);
    expect(EMBEDDED).toContain('garbage-collector-controller');
  });

  it('leaves out those with a minus, by long or short name', () => {
    expect(running('*', '-job', '-deployment-controller')).not.toContain('job-controller');
    expect(running('*', '-job', '-deployment-controller')).toHaveLength(EMBEDDED.length - 2);
  });

  it('without a star is those named', () => {
    expect(running('job', 'cronjob-controller')).toEqual(['job-controller', 'cronjob-controller']);
    expect(running()).toEqual([]);
  });

  it('the first word on a controller counts', () => {
    expect(running('*', 'job', '-job')).toContain('job-controller');
  });

  it('refuses names nobody has, and those that objects inherit', () => {
    expect(() => running('*', '-nonsense')).toThrow('"nonsense" is not in the list of known controllers');
    expect(() => running('constructor')).toThrow('known controllers');
  });

  it('accepts every name that a controller has had, in every profile that runs it', () => {
    for (const { name, aliases } of CATALOGUE)
      if (EMBEDDED.includes(name)) for (const each of [name, ...aliases]) expect(running(each)).toEqual([name]);
    for (const alias of ['component', 'component-controller', 'kubernetesdaemonset'])
      expect([running(alias), names(alias)]).toEqual([['component'], ['component']]);
  });

  it('names the nearest word', () => {
    expect(() => running('deamonset')).toThrow('did you mean "daemonset"?');
    expect(() => names('rolloutdriver')).toThrow('did you mean "rollout-driver"?');
  });

  it('leaves on the controllers that an API server would have inside', () => {
    const always = selectControllers('embedded', []).map(({ row }) => row.name);
    expect(always).toEqual(['scheduler', 'event-expiry', 'definition-conditions', 'definition-finalizer']);
    for (const name of always) expect(() => running(`-${name}`)).toThrow('known controllers');
  });

  it('is read from a list with commas', () => {
    expect(readSelection(' *, -job ,,daemonset')).toEqual(['*', '-job', 'daemonset']);
    expect(readSelection('')).toEqual([]);
  });
});

describe('the catalogue', () => {
  it('has every name and alias once', () => {
    const words = CATALOGUE.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
  });
});

describe('which controllers the operator runs', () => {
  it('by default only what can do no harm beside Kubernetes', () => {
    expect(names('*')).toEqual(['rollout-driver', 'component', 'claim-scheduler', 'reservation']);
    for (const { insteadOf, profiles } of CATALOGUE)
      if (insteadOf !== undefined) expect(profiles.operator?.runs).toBe('named');
  });

  it.each([
    [
      ['*', 'daemonset'],
      ['rollout-driver', 'component', 'daemonset', 'claim-scheduler', 'reservation'],
    ],
    [
      ['daemonset', 'scheduler'],
      ['daemonset', 'scheduler'],
    ],
    [
      ['*', '-rollout-driver'],
      ['component', 'claim-scheduler', 'reservation'],
    ],
    [
      ['*', '-scheduler'],
      ['rollout-driver', 'component', 'claim-scheduler', 'reservation'],
    ],
    [['daemonset-controller'], ['daemonset']],
    [['-daemonset', 'daemonset'], []],
    [['daemonset', '-daemonset'], ['daemonset']],
    [[], []],
  ])('%j are %j', (selection, expected) => {
    expect(names(...selection)).toEqual(expected);
  });

  it.each(['nobody', '-nobody', '', '__proto__'])('refuses %j, and says which there are', (name) => {
    expect(() => names(name)).toThrow(
      expect.objectContaining({
        code: 'EN_ASSEMBLY_UNKNOWN_CONTROLLER',
        message: expect.stringContaining('rollout-driver, component, daemonset, scheduler') as string,
      }),
    );
  });
});
