import { describe, expect, it } from 'vitest';
import { speltIntegerProblem } from './spelt-integers.ts';

const pod = (spec: string): string =>
  `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","generation":1},"spec":{"containers":[{"name":"c","image":"nginx:1.25"}],${spec}}}`;

describe('whole numbers that are not spelt as integers', () => {
  // As kube-apiserver 1.36 says it.
  it.each([
    ['"priority":1.0', 'json: cannot unmarshal number 1.0 into Go struct field PodSpec.spec.priority of type int32'],
    ['"priority":1e2', 'json: cannot unmarshal number 1e2 into Go struct field PodSpec.spec.priority of type int32'],
    [
      '"terminationGracePeriodSeconds": 30.00',
      'json: cannot unmarshal number 30.00 into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64',
    ],
    [
      '"overhead":{"cpu":2.0},"volumes":[{"name":"v","secret":{"defaultMode":4E1}}]',
      'json: cannot unmarshal number 4E1 into Go struct field SecretVolumeSource.spec.volumes.VolumeSource.secret.defaultMode of type int32',
    ],
  ])('are refused in integer fields: %s', (spec, problem) => {
    expect(speltIntegerProblem('core/v1.Pod', pod(spec))).toBe(problem);
  });

  it.each(['"priority":100', '"overhead":{"cpu":2.0}', '"hostname":"a,1.0"', '"unknown":1.0', '"priority":-5'])(
    'are fine where any number is, or none at all: %s',
    (spec) => expect(speltIntegerProblem('core/v1.Pod', pod(spec))).toBeUndefined(),
  );

  it('leave real fractions to those who check the rest', () => {
    expect(speltIntegerProblem('core/v1.Pod', pod('"priority":1.5'))).toBeUndefined();
  });
});
