import { describe, expect, it } from 'vitest';
import { orderPlan } from '../../../core/api/kinds/reservation/order-plan.ts';
import { NO_TICKS, scheduleOf, ticksOf } from './order-ticks.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 1);
const at = (minute: number): number => START + minute * MINUTE;

const planOf = (schedule: string, type = 'Recurring') => orderPlan({ strategy: { type, schedule } });
const every10 = scheduleOf(planOf('*/10 * * * *'), undefined, START);

describe('ticks', () => {
  it('are none of a plan without a schedule, or with one that cannot be read', () => {
    expect(scheduleOf(orderPlan({}), undefined, START)).toBe(undefined);
    expect(ticksOf(undefined, undefined, START, at(60))).toBe(NO_TICKS);
    expect(ticksOf(scheduleOf(planOf('never'), undefined, START), undefined, START, at(60))).toBe(NO_TICKS);
  });

  it('before the first one there is only a next', () => {
    expect(ticksOf(every10, undefined, START, at(9))).toEqual({ last: undefined, isOpen: false, next: at(10) });
  });

  it('one is open from its time until it is done', () => {
    expect(ticksOf(every10, undefined, START, at(10))).toEqual({ last: at(10), isOpen: true, next: at(20) });
    expect(ticksOf(every10, at(10), START, at(10))).toEqual({ last: at(10), isOpen: false, next: at(20) });
    expect(ticksOf(every10, at(10), START, at(20) - 1)).toEqual({ last: at(10), isOpen: false, next: at(20) });
  });

  it('of those that were missed the most recent is open', () => {
    expect(ticksOf(every10, at(10), START, at(57))).toEqual({ last: at(50), isOpen: true, next: at(60) });
  });

  it('of a changed schedule before the change do not count', () => {
    const changed = scheduleOf(planOf('5 * * * *'), every10, at(7));
    expect(ticksOf(changed, undefined, START, at(8))).toEqual({ last: undefined, isOpen: false, next: at(65) });
    expect(scheduleOf(planOf('5 * * * *'), changed, at(30))).toBe(changed);
  });
});
