import { describe, expect, it } from 'vitest';
import { mask } from './mask.ts';

describe('mask', () => {
  it('hides what differs from run to run', () => {
    expect(mask('uid: 6019be3a-3a30-4311-b87e-c84dc2aebabd')).toBe('uid: <uid>');
    expect(mask('at "2026-11-16T00:48:16Z", or Mon, 16 Nov 2026 00:59:41 +0000')).toBe('at "<time>", or <time>');
    expect(mask('{"resourceVersion":"163"} resourceVersion: "7"')).toBe(
      '{"resourceVersion":"<revision>"} resourceVersion: "<revision>"',
    );
    expect(mask('running at https://127.0.0.1:7391, pod at 10.1.2.3')).toBe('running at <server>, pod at <ip>');
    expect(mask('pod/agent-77rsjlcr9zwxmps9fp pod/web-5df67d4ddf-x2k8p deployment.apps/web-https')).toBe(
      'pod/agent-<id> pod/web-5df67d4ddf-<id> deployment.apps/web-https',
    );
    expect(mask('--- /tmp/LIVE-123/v1.ConfigMap.a.b\t2026-11-16 00:48:16.1 +0000')).toBe(
      '--- /tmp/LIVE/v1.ConfigMap.a.b',
    );
    expect(mask('\u001b[0;32mKubernetes\u001b[0m')).toBe('Kubernetes');
  });

  it('sets a table anew around what it hid, and sorts rows that a generated name had ordered', () => {
    const table = [
      'NAME                       READY   IP            NODE     AGE',
      'agent-77rsjlcr9zwxmps9fp   1/1     10.2.33.4     node-3   12s',
      'agent-b6s26h92h4zzbqbpxm   1/1     10.198.16.1   node-0   2m3s',
      '',
      'NAME   DATA   AGE',
      'b      2      5d',
      'a      1      5d',
      'Error from server (NotFound): configmaps "missing" not found',
    ];
    expect(mask(table.join('\n')).split('\n')).toEqual([
      'NAME         READY   IP     NODE     AGE',
      'agent-<id>   1/1     <ip>   node-0   <age>',
      'agent-<id>   1/1     <ip>   node-3   <age>',
      '',
      'NAME   DATA   AGE',
      'b      2      <age>',
      'a      1      <age>',
      'Error from server (NotFound): configmaps "missing" not found',
    ]);
  });

  it('hides the ages of events that are described', () => {
    expect(mask('  Normal  Started  2s    kubelet  Container started')).toBe(
      '  Normal  Started  <age>  kubelet  Container started',
    );
    const young = ['  Type    Reason   Age   From     Message', '  ----    ------   ----  ----     -------'];
    const old = ['  Type    Reason   Age    From     Message', '  ----    ------   ----   ----     -------'];
    expect(mask(old.join('\n'))).toBe(mask(young.join('\n')));
  });

  it('leaves out what kubectl mutters to itself', () => {
    const lines = [
      'I1116 02:30:00.123456   12345 request.go:665] Waited for 1.1s due to client-side throttling',
      'pod/shell condition met',
    ];
    expect(mask(lines.join('\n'))).toBe('pod/shell condition met');
  });

  it('leaves alone what stays', () => {
    const text =
      'web    0/2     example.test/web:1\nThe DaemonSet "agent" is invalid: spec.selector: field is immutable';
    expect(mask(text)).toBe(text);
  });
});
