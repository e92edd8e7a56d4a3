import { describe, expect, it } from 'vitest';
import { checkTimeout, deleteOptions, isWatch, listOptions, watchOptions, writeOptions } from './query.ts';

const query = (text: string): URLSearchParams => new URLSearchParams(text);

describe('list and watch options', () => {
  it('are read from the query', () => {
    expect(listOptions(query('labelSelector=a%3Db&fieldSelector=&limit=500&continue=tok&resourceVersion=7'))).toEqual({
      labelSelector: 'a=b',
      limit: 500,
      continue: 'tok',
      resourceVersion: '7',
    });
    expect(
      watchOptions(query('watch=1&allowWatchBookmarks=true&timeoutSeconds=30&sendInitialEvents=true&limit=4')),
    ).toEqual({
      allowWatchBookmarks: true,
      sendInitialEvents: true,
      timeoutSeconds: 30,
    });
    expect(listOptions(query('sendInitialEvents=false'))).toEqual({ sendInitialEvents: false });
  });

  it('read booleans as Kubernetes does', () => {
    expect([
      isWatch(query('watch')),
      isWatch(query('watch=true')),
      isWatch(query('watch=0')),
      isWatch(query('watch=false')),
      isWatch(query('')),
    ]).toEqual([true, true, false, false, false]);
  });

  it('refuse what makes no sense', () => {
    expect(() => listOptions(query('limit=ten'))).toThrow('strconv.ParseInt: parsing "ten": invalid syntax');
    expect(() => listOptions(query('timeoutSeconds=soon'))).toThrow('parsing "soon": invalid syntax');
    expect(() => listOptions(query('limit=99999999999999999999'))).toThrow('value out of range');
    expect(listOptions(query('limit=%2B5'))).toEqual({ limit: 5 });
    expect(() => listOptions(query('resourceVersionMatch=Near'))).toThrow('supported values: "Exact", "NotOlderThan"');
  });
});

describe('the time somebody means to wait', () => {
  it('must be a duration', () => {
    for (const text of ['', 'timeout=', 'timeout=3m', 'timeout=0s', 'timeout=0']) {
      expect(() => checkTimeout(query(text))).not.toThrow();
    }
    expect(() => checkTimeout(query('timeout=invalid'))).toThrow(
      'invalid timeout specified in the request URL - time: invalid duration "invalid"',
    );
    expect(() => checkTimeout(query('timeout=30'))).toThrow('missing unit in duration "30"');
  });
});

describe('write and delete options', () => {
  it('take only All for a dry run', () => {
    expect(writeOptions(query('dryRun=All&fieldManager=me&fieldValidation=Strict'), 'CreateOptions')).toEqual({
      dryRun: true,
      fieldManager: 'me',
      fieldValidation: 'Strict',
    });
    expect(() => writeOptions(query('dryRun=Some'), 'CreateOptions')).toThrow(
      'Unsupported value: ["Some"]: supported values: "All"',
    );
    expect(() => writeOptions(query('dryRun='), 'CreateOptions')).toThrow('Unsupported value: [""]');
    expect(() => deleteOptions(query(''), { dryRun: ['All', 'all'] })).toThrow('Unsupported value: ["All","all"]');
    expect(() => writeOptions(query('fieldValidation=Loud'), 'PatchOptions')).toThrow('PatchOptions.meta.k8s.io');
    expect(() => writeOptions(query(`fieldManager=${'x'.repeat(129)}`), 'UpdateOptions')).toThrow(
      'UpdateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
    );
    expect(() => writeOptions(query('fieldManager=a%07'), 'CreateOptions')).toThrow('invalid character U+0007');
  });

  it('let the body speak instead of the query', () => {
    expect(deleteOptions(query('gracePeriodSeconds=9'), undefined)).toEqual({ dryRun: false, gracePeriodSeconds: 9 });
    expect(
      deleteOptions(query('gracePeriodSeconds=9'), { gracePeriodSeconds: 0, preconditions: { uid: 'u' } }),
    ).toEqual({
      dryRun: false,
      gracePeriodSeconds: 0,
      preconditions: { uid: 'u' },
    });
    expect(deleteOptions(query('orphanDependents=true'), undefined)).toMatchObject({ propagationPolicy: 'Orphan' });
    expect(() => deleteOptions(query(''), { propagationPolicy: 'Sideways' })).toThrow(
      'supported values: "Foreground", "Background"',
    );
    expect(() => deleteOptions(query(''), { propagationPolicy: 'Orphan', orphanDependents: true })).toThrow(
      'cannot be both set',
    );
  });
});
