/** Lints that compare with other daemons of the cluster, or with what else is there. */
import type { DaemonSet } from '../../api/types/apps-v1.ts';
import type { PodSpec } from '../../api/types/core-v1.ts';
import { containersOf } from '../containers-of.ts';
import type { Lint } from './context.ts';

interface HostPort {
  readonly port: number;
  readonly protocol: string;
  readonly ip: string;
}

/** In the node's network every port of a container is one of the node. */
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

/** Two selectors that want different values of one label never meet on a node. */
function mayShareNodes(a: PodSpec, b: PodSpec): boolean {
  const other = b.nodeSelector ?? {};
  return Object.entries(a.nodeSelector ?? {}).every(
    ([key, value]) => !Object.hasOwn(other, key) || other[key] === value,
  );
}

const isItself = (a: DaemonSet, b: DaemonSet): boolean =>
  a.metadata.name === b.metadata.name && a.metadata.namespace === b.metadata.namespace;

const nameOf = ({ metadata }: DaemonSet): string => `${metadata.namespace ?? ''}/${metadata.name}`;

export const hostPorts: Lint = ({ component, rendered, otherDaemons = [], report }) => {
  const own = rendered.daemonSet.spec.template.spec;
  if (own === undefined) return;
  const taken = hostPortsOf(own);
  if (taken.length === 0) return;
  for (const other of otherDaemons) {
    const spec = other.spec.template.spec;
    if (spec === undefined || isItself(other, rendered.daemonSet) || !mayShareNodes(own, spec)) continue;
    for (const port of hostPortsOf(spec)) {
      const clash = taken.find((each) => clashes(each, port));
      if (clash === undefined) continue;
      const message = `${nameOf(other)} takes ${clash.protocol} port ${clash.port} of the node, too`;
      report('host-port-clash', pathOfPort(component, clash.port), message);
    }
  }
};

function pathOfPort(component: Parameters<typeof containersOf>[0], port: number): readonly (string | number)[] {
  for (const { container, path } of containersOf(component)) {
    const index = (container.ports ?? []).findIndex((each) => each.hostPort === port || each.containerPort === port);
    if (index !== -1) return [...path, 'ports', index];
  }
  return ['spec', 'container'];
}

type Labels = { readonly [key: string]: string };

const covers = (selector: Labels, labels: Labels): boolean =>
  Object.entries(selector).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);

/** Selectors by expressions are left to the API server's own warnings; the existing tool never writes them. */
export const selectors: Lint = ({ rendered, otherDaemons = [], report }) => {
  const { daemonSet, identity } = rendered;
  const own = daemonSet.spec.template.metadata?.labels ?? {};
  for (const other of otherDaemons) {
    if (isItself(other, daemonSet) || other.metadata.namespace !== identity.namespace) continue;
    const theirs = other.spec.selector.matchLabels ?? {};
    const hasOthers = (other.spec.selector.matchExpressions ?? []).length > 0;
    const labels = other.spec.template.metadata?.labels ?? {};
    const isTaken = !hasOthers && Object.keys(theirs).length > 0 && covers(theirs, own);
    if (!isTaken && !covers(identity.selector, labels)) continue;
    const hint = identity.mode === 'compatible' ? 'use another namespace, or safe mode' : 'use another namespace';
    report('selector-overlap', ['spec', 'namespace'], `${nameOf(other)} selects the same pods`, hint);
  }
};

export const missingObjects: Lint = ({ component, missing = [], report }) => {
  for (const { name, text } of missing) report('missing-object', pathOfName(component, name), text);
};

/** Where a container first names it. */
function pathOfName(component: Parameters<typeof containersOf>[0], name: string): readonly (string | number)[] {
  for (const { container, path } of containersOf(component)) {
    const secret = (container.env?.secrets ?? []).findIndex(({ secretRef }) => secretRef?.name === name);
    if (secret !== -1) return [...path, 'env', 'secrets', secret, 'secretRef'];
    const mount = (container.volumeMounts ?? []).findIndex(
      (each) => each.secret?.name === name || each.configMap?.name === name,
    );
    if (mount !== -1) return [...path, 'volumeMounts', mount];
  }
  return ['spec', 'container'];
}
