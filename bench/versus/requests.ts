/** Which requests a kube-apiserver has answered, from its own `/metrics`. */

/** By `VERB resource[/subresource]`. */
export type Requests = ReadonlyMap<string, number>;

const LINE = /^apiserver_request_total\{(.*)\} (\S+)$/gm;

export function parseRequests(metrics: string): Requests {
  const requests = new Map<string, number>();
  for (const [, labels = '', value] of metrics.matchAll(LINE)) {
    const label = (name: string): string => new RegExp(String.raw`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    const code = label('code');
    const subresource = label('subresource');
    const name = `${label('verb')} ${label('resource')}${subresource === '' ? '' : `/${subresource}`}`;
    const key = code.startsWith('2') ? name : `${name} ${code}`;
    requests.set(key, (requests.get(key) ?? 0) + Number(value));
  }
  return requests;
}

/** Requests between two readings, most frequent first. Watches are counted when they end, and say nothing here. */
export const requestsBetween = (before: Requests, after: Requests): Requests =>
  new Map(
    [...after]
      .map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const)
      .filter(([name, count]) => count > 0 && !name.startsWith('WATCH '))
      .toSorted(([, a], [, b]) => b - a),
  );
