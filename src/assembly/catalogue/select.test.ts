import { describe, expect, it } from 'vitest';
import { CONTROLLERS, type ControllerName, selectControllers } from './select.ts';

const running = (...selection: readonly string[]): readonly string[] =>
  (Object.keys(CONTROLLERS) as ControllerName[]).filter(selectControllers(selection));

describe('the choice of controllers', () => {
  it('is all of them unless said', () => {
    expect((Object.keys(CONTROLLERS) as ControllerName[]).every(selectControllers())).toBe(true);
  });

  it('leaves out those with a minus, by long or short name', () => {
    expect(running('*', '-job', '-deployment-controller')).not.toContain('job-controller');
    expect(running('*', '-job', '-deployment-controller')).toHaveLength(Object.keys(CONTROLLERS).length - 2);
  });

  it('without a star is those named', () => {
    expect(running('job', 'cronjob-controller')).toEqual(['cronjob-controller', 'job-controller']);
    expect(running()).toEqual([]);
  });

  it('the first word on a controller counts', () => {
    expect(running('*', 'job', '-job')).toContain('job-controller');
  });

  it('refuses names nobody has, and those that objects inherit', () => {
    expect(() => selectControllers(['*', '-nonsense'])).toThrow('"nonsense" is not in the list of known controllers');
    expect(() => selectControllers(['constructor'])).toThrow('known controllers');
  });
});
