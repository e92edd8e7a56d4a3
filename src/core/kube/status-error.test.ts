import { describe, expect, it } from 'vitest';
import * as field from './field-errors.ts';
import { readGolden } from './golden/read.ts';
import { scaledIntOrPercent, percentOf, type IntOrString } from './int-or-string.ts';
import * as errors from './status-error.ts';
import { genericServerResponse } from './status-response.ts';

/** A Status as Go writes it: empty parts left out. */
type Written = { readonly [member: string]: unknown };
interface Table {
  readonly statuses: { readonly [name: string]: Written };
  readonly generic: readonly (readonly [code: number, verb: string, full: Written, bare: Written])[];
  readonly intOrString: readonly (readonly [IntOrString, number, number | string, number | string])[];
}
const table = readGolden('statuses') as Table;

const apps = { group: 'apps', resource: 'daemonsets' };
const core = { group: '', resource: 'pods' };

const findings: readonly field.FieldError[] = [
  field.required('spec.x', ''),
  field.invalid('spec[1]', '<a>\u00a0', 'bad'),
  field.invalid('', { a: '<' }, 'd'),
  field.tooLong('l', 1),
  field.tooMany('m', 3, 1),
  field.tooMany('m', -1, 2),
  field.tooFew('m', 0, 1),
  field.tooShort('s', 2),
  field.notSupported('n', 'x', ['a', 'b']),
  field.notSupported('n', 'x', []),
  field.duplicate('d', 5),
  field.notFoundValue('d', true),
  field.forbidden('f', 'no'),
  field.forbidden('f', 'no'),
  field.internalFieldError('i', 'boom'),
  field.typeInvalid('t', 1.5, 'nope'),
  field.tooLongCharacters('c', 5),
  field.invalid('p[k]', null, ''),
];

const made: { readonly [name: string]: errors.StatusError } = {
  notFound: errors.notFound(apps, 'x'),
  notFoundCore: errors.notFound(core, 'x"y'),
  alreadyExists: errors.alreadyExists(apps, 'x'),
  generateNameConflict: errors.generateNameConflict(core, 'x'),
  conflict: errors.conflict(apps, 'x', 'why'),
  badRequest: errors.badRequest('b'),
  forbidden: errors.forbiddenRequest(apps, 'x', 'why'),
  forbiddenNoName: errors.forbiddenRequest(core, '', 'why'),
  forbiddenNoResource: errors.forbiddenRequest({ group: '', resource: '' }, '', 'why'),
  expired: errors.expired('e'),
  gone: errors.gone('g'),
  methodNotAllowed: errors.methodNotAllowed(apps, 'patch'),
  tooManyRequests: errors.tooManyRequests('t', 3),
  tooManyRequests0: errors.tooManyRequests('t', 0),
  serviceUnavailable: errors.serviceUnavailable('s'),
  serverTimeout: errors.serverTimeout(apps, 'list', 2),
  timeout: errors.timeout('t', 4),
  internalError: errors.internalError(new Error('boom')),
  entityTooLarge: errors.bodyTooLarge(5),
  invalid: errors.invalidObject({ group: 'apps', kind: 'DaemonSet' }, 'x', findings),
  invalidOne: errors.invalidObject({ group: '', kind: 'Pod' }, '', findings.slice(0, 1)),
  invalidNone: errors.invalidObject({ group: '', kind: 'Pod' }, 'x', []),
  applyConflict: errors.applyConflict('msg', [{ reason: 'FieldManagerConflict', message: 'm', field: '.spec' }]),
  unauthorized: errors.unauthorized(),
};

/** The Status without kind and apiVersion, which every Status has. */
const said = ({ status }: errors.StatusError): unknown => {
  const { kind, apiVersion, ...rest } = status;
  expect([kind, apiVersion]).toEqual(['Status', 'v1']);
  return rest;
};

describe('Status errors', () => {
  it.each(Object.keys(table.statuses))('%s is word for word upstream', (name) => {
    const error = made[name];
    if (error === undefined) throw new Error(`no ${name}`);
    expect(said(error)).toEqual(table.statuses[name]);
  });
  it('of answers without a Status are those client-go makes', () => {
    for (const [code, verb, full, bare] of table.generic) {
      const error = genericServerResponse(code, {
        verb,
        resource: apps,
        name: 'x',
        serverMessage: 'said "it"',
        retryAfterSeconds: code % 3,
        unexpected: code % 2 === 0,
      });
      expect(said(error)).toEqual(full);
      expect(said(genericServerResponse(code, { verb }))).toEqual(bare);
    }
  });
  it('of negotiation name the types', () => {
    expect(said(errors.notAcceptable(['a/b', 'c/d']))).toEqual({
      metadata: {},
      status: 'Failure',
      message: 'only the following media types are accepted: a/b, c/d',
      reason: 'NotAcceptable',
      code: 406,
    });
    expect(errors.notAcceptableConversion('meta.k8s.io/v1.Table', ['a/b']).message).toBe(
      'only the following media types are accepted when converting to meta.k8s.io/v1.Table: a/b',
    );
    expect(errors.unsupportedMediaType(['a/b', 'c/d'])).toMatchObject({
      code: 415,
      reason: 'UnsupportedMediaType',
      message: 'the body of the request was in an unknown format - accepted media types include: a/b, c/d',
    });
  });
  it('of versions from the future carry their cause', () => {
    expect(said(errors.tooLargeResourceVersion(9, 5, 1))).toEqual({
      metadata: {},
      status: 'Failure',
      message: 'Timeout: Too large resource version: 9, current: 5',
      reason: 'Timeout',
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
      code: 504,
    });
  });
  it('of preconditions say what was asked and what is', () => {
    expect(errors.modifiedConflict(core, 'x').message).toBe(
      'Operation cannot be fulfilled on pods "x": the object has been modified; please apply your changes to the latest version and try again',
    );
    const pod = { group: '', kind: 'Pod' };
    expect(errors.deletePreconditionConflict(pod, 'x', 'UID', 'a', 'b').message).toBe(
      'Operation cannot be fulfilled on Pod "x": the UID in the precondition (a) does not match the UID in record (b). The object might have been deleted and then recreated',
    );
    expect(errors.deletePreconditionConflict(pod, 'x', 'ResourceVersion', '1', '2').message).toBe(
      'Operation cannot be fulfilled on Pod "x": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (2). The object might have been modified',
    );
    expect(errors.preconditionConflict(core, 'x', '/pods/d/x', 'UID', 'a', 'b').message).toBe(
      'Operation cannot be fulfilled on pods "x": StorageError: invalid object, Code: 4, Key: /pods/d/x, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: a, UID in object meta: b',
    );
  });
  it('say no more than anyone could read of an object that is wrong all over', () => {
    const many = Array.from({ length: 200_000 }, (_, i) => field.invalid(`a[${i}]`, `x${i}`, 'must be good'));
    const { code, details, message } = errors.invalidObject({ group: '', kind: 'Pod' }, 'p', many).status;
    expect([code, details?.causes?.length]).toEqual([422, 100]);
    expect(message).toMatch(/^Pod "p" is invalid: \[a\[0\]: .*must be good\] and 199900 more$/);
    const long = field.invalid('f'.repeat(10_000), 'v'.repeat(3_000_000), 'must be shorter');
    const { status } = errors.invalidObject({ group: '', kind: 'Pod' }, 'n'.repeat(1_000_000), [long, long]);
    expect(JSON.stringify(status).length).toBeLessThan(1024 * 1024);
    expect(status.details?.name).toBe(`${'n'.repeat(1024)}…`);
  });
  it('are recognised by reason, and rebuilt from what a server sent', () => {
    const error = errors.notFound(core, 'x');
    expect(errors.isStatus(error, 'NotFound')).toBe(true);
    expect(errors.isStatus(error, 'Conflict')).toBe(false);
    expect(errors.isStatus(new Error('x'), 'NotFound')).toBe(false);
    expect(errors.StatusError.from(error.status).status).toEqual(error.status);
    expect(error).toBeInstanceOf(Error);
    expect(error.code).toBe(404);
  });
});

describe('IntOrString', () => {
  it('scales as upstream', () => {
    for (const [value, total, up, down] of table.intOrString) {
      const results = (['up', 'down'] as const).map((rounding) => {
        const scaled = scaledIntOrPercent(value, total, rounding);
        return scaled.ok ? scaled.value : scaled.error;
      });
      expect({ value, total, results }).toEqual({ value, total, results: [up, down] });
    }
  });
  it('tells percentages', () => {
    expect(percentOf('25%')).toBe(25);
    expect(percentOf('25')).toBeUndefined();
    expect(percentOf(25)).toBeUndefined();
  });
});
