import { expect, it } from 'vitest';
import { rememberingMetrics } from '../../testing/remembering-metrics.ts';
import { createTransportMetrics } from './transport-metrics.ts';

it("counts requests, answers, repetitions and waits under client-go's names", () => {
  const { metrics, value } = rememberingMetrics();
  const host = 'example.test:6443';
  const transport = createTransportMetrics(metrics, host);
  transport.answered('GET', 200, 5);
  transport.answered('GET', 200, 7);
  transport.answered('POST', 429, 1);
  transport.retried('POST', 429);
  transport.broke('GET');
  transport.waited('GET', 0);
  transport.waited('GET', 100);
  expect({
    ok: value('rest_client_requests_total', { code: '200', method: 'GET', host }),
    busy: value('rest_client_requests_total', { code: '429', method: 'POST', host }),
    broken: value('rest_client_requests_total', { code: '<error>', method: 'GET', host }),
    retried: value('rest_client_request_retries_total', { code: '429', verb: 'POST', host }),
    timed: value('rest_client_request_duration_seconds', { verb: 'GET', host }),
    waited: value('rest_client_rate_limiter_duration_seconds', { verb: 'GET', host }),
  }).toEqual({ ok: 2, busy: 1, broken: 1, retried: 1, timed: 2, waited: 2 });
});
