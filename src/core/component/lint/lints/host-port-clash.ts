/** Ports of the node that another daemon takes, too. */
import type { PodSpec } from '../../../api/types/core-v1.ts';
import type { PathStep } from '../../trace.ts';
import { defineLint, type LintContext } from '../contract/lint.ts';
import { daemonName, isSameDaemon } from '../parts/daemons.ts';

export const hostPortClash = defineLint({
  name: 'host-port-clash',
  level: 'error',
  why: 'Another daemon takes the same port on the same nodes; one of the two never starts there',
  *check({ containers, rendered, otherDaemons = [] }) {
    const own = rendered.daemonSet.spec.template.spec;
    if (own === undefined) return;
    const taken = hostPortsOf(own);
    if (taken.length === 0) return;
    for (const other of otherDaemons) {
      const spec = other.spec.template.spec;
      if (spec === undefined || isSameDaemon(other, rendered.daemonSet) || !mayShareNodes(own, spec)) continue;
      for (const port of hostPortsOf(spec)) {
        const clash = taken.find((each) => clashes(each, port));
        if (clash === undefined) continue;
        const message = `${daemonName(other)} takes ${clash.protocol} port ${clash.port} of the node, too`;
        yield { path: pathOfPort(containers, clash.port), message };
      }
    }
  },
});

interface HostPort {
  readonly port: number;
  readonly protocol: string;
  readonly ip: string;
}

/** With hostNetwork every port of a container is a port of the node. */
function hostPortsOf({ containers, initContainers = [], hostNetwork }: PodSpec): readonly HostPort[] {
  const lasting = [...containers, ...initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always')];
  return lasting.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, containerPort, protocol = 'TCP', hostIP = '' }) => {
      const port = hostPort === 0 && hostNetwork === true ? containerPort : hostPort;
      return port === 0 ? [] : [{ port, protocol, ip: hostIP === '0.0.0.0' || hostIP === '::' ? '' : hostIP }];
    }),
  );
}

const clashes = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === '' || b.ip === '' || a.ip === b.ip);

/** Two node selectors that want different values of one label never select the same node. */
function mayShareNodes(a: PodSpec, b: PodSpec): boolean {
  const other = b.nodeSelector ?? {};
  return Object.entries(a.nodeSelector ?? {}).every(
    ([key, value]) => !Object.hasOwn(other, key) || other[key] === value,
  );
}

function pathOfPort(containers: LintContext['containers'], port: number): readonly PathStep[] {
  for (const { container, path } of containers) {
    const index = (container.ports ?? []).findIndex((each) => each.hostPort === port || each.containerPort === port);
    if (index !== -1) return [...path, 'ports', index];
  }
  return ['spec', 'container'];
}
