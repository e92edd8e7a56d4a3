import { expect, it } from 'vitest';
import { badRequest } from '../../../core/kube/status-error.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../../../machinery/ports/admission.ts';
import { rememberingMetrics } from '../../../machinery/testing/remembering-metrics.ts';
import { createVirtualClock } from '../../../machinery/time/virtual-clock.ts';
import { measuredAdmission } from './measured-admission.ts';

const request = (name: string) =>
  ({
    operation: 'CREATE',
    resource: { group: 'g', version: 'v', resource: 'orders' },
    name,
  }) as unknown as AdmissionRequest;

const plugin: AdmissionPlugin = {
  name: 'reservation',
  handles: () => true,
  validate({ name }) {
    if (name === 'broken') throw new TypeError('no');
    return name === 'bad' ? { allowed: false, error: badRequest('no') } : { allowed: true };
  },
};

it('counts judgements by their result, and errors by their type', async () => {
  const { metrics, value } = rememberingMetrics();
  const { validate } = measuredAdmission(plugin, { clock: createVirtualClock(), metrics });
  expect(await validate?.(request('good'))).toEqual({ allowed: true });
  expect(await validate?.(request('bad'))).toMatchObject({ allowed: false });
  await expect(validate?.(request('broken'))).rejects.toThrow('no');
  const of = { webhook: 'orders', operation: 'create' };
  expect(value('korder_webhook_errors_total', { ...of, error_type: 'BadRequest' })).toBe(1);
  expect(value('korder_webhook_errors_total', { ...of, error_type: 'TypeError' })).toBe(1);
  for (const result of ['allowed', 'denied', 'error'])
    expect(value('korder_webhook_duration_seconds', { ...of, result })).toBe(1);
});

it('is the plugin itself where nothing is measured', () => {
  expect(measuredAdmission(plugin, { clock: createVirtualClock() })).toBe(plugin);
});
