import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_CERTIFICATE_POLICY as POLICY, nextStep, type CertificateView } from './plan.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 1);
const from = (days: number, length: number) => ({ notBefore: NOW + days * DAY, notAfter: NOW + (days + length) * DAY });
const serving = (days: number, length = 90, isRight = true) => ({ ...from(days, length), isRight });
const step = (view: Partial<CertificateView>, isSpread = true) =>
  nextStep({ retired: [], ...view }, isSpread, NOW, POLICY);

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
    expect(step({ ...view, next: from(0, 365) })).toEqual({ step: 'wait', until: NOW + DAY });
    expect(step({ ...view, next: from(-1, 365) })).toEqual({ step: 'take-over' });
    expect(step({ ...view, next: from(-1, 365) }, false)).toMatchObject({ step: 'wait' });
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
        fc.option(dated, { nil: undefined }),
        fc.option(fc.tuple(dated, fc.boolean()), { nil: undefined }),
        fc.array(dated, { maxLength: 3 }),
        fc.boolean(),
        (authority, next, served, retired, isSpread) => {
          const view = {
            ...(authority === undefined ? {} : { authority }),
            ...(next === undefined ? {} : { next }),
            ...(served === undefined ? {} : { serving: { ...served[0], isRight: served[1] } }),
            retired,
          };
          const answer = nextStep(view, isSpread, NOW, POLICY);
          if (answer.step === 'wait') expect(answer.until).toBeGreaterThan(NOW);
          // Nobody signs with what configurations may not hold.
          if (answer.step === 'take-over') expect(isSpread).toBe(true);
        },
      ),
    );
  });
});
