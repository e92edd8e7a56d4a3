import { describe, expect, it } from 'vitest';
import { parseRequests, requestsBetween } from './requests.ts';

const line = (verb: string, resource: string, subresource: string, code: string, count: string): string =>
  `apiserver_request_total{code="${code}",component="apiserver",dry_run="",group="",resource="${resource}",scope="resource",subresource="${subresource}",verb="${verb}",version="v1"} ${count}\n`;

describe('parseRequests', () => {
  it('counts by verb and resource, over the codes that mean success', () => {
    const requests = parseRequests(
      `# TYPE apiserver_request_total counter\n${line('POST', 'pods', '', '201', '100')}${line('POST', 'pods', '', '200', '2')}${line('POST', 'pods', 'binding', '201', '1e+03')}apiserver_other{verb="POST"} 5\n`,
    );
    expect([...requests]).toEqual([
      ['POST pods', 102],
      ['POST pods/binding', 1000],
    ]);
  });

  it('shows refusals by themselves', () =>
    expect([...parseRequests(line('POST', 'pods', '', '429', '7'))]).toEqual([['POST pods 429', 7]]));
});

describe('requestsBetween', () => {
  it('says what is new, most first, without watches', () => {
    const before = parseRequests(line('POST', 'pods', '', '201', '5') + line('GET', 'nodes', '', '200', '9'));
    const after = parseRequests(
      line('POST', 'pods', '', '201', '8') +
        line('GET', 'nodes', '', '200', '9') +
        line('WATCH', 'pods', '', '200', '40') +
        line('PATCH', 'pods', 'status', '200', '6'),
    );
    expect([...requestsBetween(before, after)]).toEqual([
      ['PATCH pods/status', 6],
      ['POST pods', 3],
    ]);
  });
});
