import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_CERTIFICATE_POLICY as POLICY, nextStep, policyFor, type CertificateView } from './plan.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 1);
const from = (days: number, length: number) => ({ notBefore: NOW + days * DAY, notAfter: NOW + (days + length) * DAY });
const serving = (days: number, length = 90, isRight = true) => ({ ...from(days, length), isRight });
const step = (view: Partial<CertificateView>, isSpread = true) =>
  nextStep({ retired: [], ...view }, isSpread, NOW, POLICY);

describe('a policy for another time', () => {
  it('has the same proportions', () => {
    expect(policyFor(POLICY.servingMs)).toEqual(POLICY);
    expect(policyFor(9 * DAY)).toEqual({
      authorityMs: 36.5 * DAY,
      authorityRenewBeforeMs: 12 * DAY,
      servingMs: 9 * DAY,
      servingRenewBeforeMs: 3 * DAY,
      overlapMs: DAY / 10,
    });
  });
});

describe('the next step', () => {
  it('of an empty Secret is to stage an authority, then to let it take over as soon as it is spread', () => {
    expect(step({})).toEqual({ step: 'stage' });
    expect(step({ next: from(0, 365) }, false)).toMatchObject({ step: 'wait' });
    expect(step({ next: from(0, 365) })).toEqual({ step: 'take-over' });
  });

  it('is to wait for the first thing that will be due', () => {
    expect(step({ authority: from(0, 365), serving: serving(0) })).toEqual({ step: 'wait', until: NOW + 60 * DAY });
    expect(step({ authority: from(-230, 365), serving: serving(0, 90) })).toEqual({
      step: 'wait',
      until: NOW + 15 * DAY,
    });
    const retired = [from(-360, 365)];
    expect(step({ authority: from(0, 365), serving: serving(0), retired })).toEqual({
      step: 'wait',
      until: NOW + 5 * DAY,
    });
  });

  it('is to renew what is near its end, wrong or missing', () => {
    expect(step({ authority: from(0, 365), serving: serving(-60) })).toEqual({ step: 'renew' });
    expect(step({ authority: from(0, 365), serving: serving(0, 90, false) })).toEqual({ step: 'renew' });
    expect(step({ authority: from(0, 365) })).toEqual({ step: 'renew' });
  });

  it('is never to renew what would not last longer', () => {
    // Signed by an authority that ends with it.
    const view = { authority: from(-360, 365), next: from(0, 365), serving: serving(-85, 90) };
    expect(step(view, false)).toMatchObject({ step: 'wait' });
  });

  it('lets a staged authority wait for the overlap while there is something to protect', () => {
    const view = { authority: from(-250, 365), serving: serving(-10) };
    expect(step(view)).toEqual({ step: 'stage' });
    const next = from(-5, 365);
    const since = (days: number) => ({ ...next, everywhereSince: NOW - days * DAY });
    expect(step({ ...view, next })).toEqual({ step: 'note-spread' });
    expect(step({ ...view, next: since(0) })).toEqual({ step: 'wait', until: NOW + DAY });
    expect(step({ ...view, next: since(0.5) })).toEqual({ step: 'wait', until: NOW + DAY / 2 });
    expect(step({ ...view, next: since(1) })).toEqual({ step: 'take-over' });
  });

  it('counts the overlap from when the authority was everywhere, however long ago it was made', () => {
    const view = { authority: from(-250, 365), serving: serving(-10), next: from(-100, 365) };
    expect(step(view, false)).toMatchObject({ step: 'wait' });
    expect(step(view)).toEqual({ step: 'note-spread' });
  });

  it('begins the overlap again when a configuration lost the authority, or the clock was set back', () => {
    const view = { authority: from(-250, 365), serving: serving(-10) };
    const noted = (days: number) => ({ ...from(-5, 365), everywhereSince: NOW + days * DAY });
    expect(step({ ...view, next: noted(-3) }, false)).toEqual({ step: 'note-lost' });
    expect(step({ ...view, next: noted(400) })).toEqual({ step: 'note-spread' });
  });

  it('is to start over when everything has expired', () => {
    expect(step({ authority: from(-400, 365), serving: serving(-200) })).toEqual({ step: 'stage' });
    expect(step({ authority: from(-400, 365), next: from(-366, 365), serving: serving(-200) })).toEqual({
      step: 'stage',
    });
  });

  it('is to forget authorities that have expired', () => {
    const view = { authority: from(0, 365), serving: serving(0), retired: [from(-400, 365)] };
    expect(step(view)).toEqual({ step: 'forget' });
  });

  it('never lets time stand still: a wait ends in the future', () => {
    const validity = fc.tuple(fc.integer({ min: -500, max: 0 }), fc.integer({ min: 1, max: 500 }));
    const dated = validity.map(([days, length]) => from(days, length));
    fc.assert(
      fc.property(
        fc.option(dated, { nil: undefined }),
        fc.option(fc.tuple(dated, fc.option(fc.integer({ min: -500, max: 500 }), { nil: undefined })), {
          nil: undefined,
        }),
        fc.option(fc.tuple(dated, fc.boolean()), { nil: undefined }),
        fc.array(dated, { maxLength: 3 }),
        fc.boolean(),
        (authority, next, served, retired, isSpread) => {
          const view = {
            ...(authority === undefined ? {} : { authority }),
            ...(next === undefined
              ? {}
              : { next: { ...next[0], ...(next[1] === undefined ? {} : { everywhereSince: NOW + next[1] * DAY }) } }),
            ...(served === undefined ? {} : { serving: { ...served[0], isRight: served[1] } }),
            retired,
          };
          const answer = nextStep(view, isSpread, NOW, POLICY);
          if (answer.step === 'wait') expect(answer.until).toBeGreaterThan(NOW);
          // No certificate is signed by an authority that configurations may not hold.
          if (answer.step !== 'take-over') return;
          expect(isSpread).toBe(true);
          // Nor before the overlap, as long as there is something to protect.
          const canServe = served?.[1] === true && served[0].notAfter > NOW;
          if (canServe) expect((next?.[1] ?? 0) * DAY).toBeLessThanOrEqual(-POLICY.overlapMs);
        },
      ),
    );
  });
});
