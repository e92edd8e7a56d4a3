/**
 * Host ports: two pods of one node cannot listen on the same address, protocol and port. An empty address is 0.0.0.0,
 * which collides with every address; an empty protocol is TCP. Addresses compare as text, as upstream.
 */
import type { ContainerPort, PodSpec } from '../api/types/core-v1.ts';
import { createNo, type No } from './answer.ts';

export interface HostPort {
  readonly ip: string;
  /** `TCP/8080`; with `ip` it names the port. */
  readonly slot: string;
}

const ANY = '0.0.0.0';
export const NO_PORTS: readonly HostPort[] = Object.freeze([]);

const collect = (ports: readonly ContainerPort[] | undefined, into: HostPort[]): void => {
  for (const { hostPort, hostIP, protocol } of ports ?? []) {
    if (hostPort === undefined || hostPort <= 0) continue;
    into.push({ ip: hostIP || ANY, slot: `${protocol || 'TCP'}/${hostPort}` });
  }
};

/** The ports that the pod occupies for as long as it runs: of regular containers and sidecars, not of init containers. */
export function hostPortsOf(spec: PodSpec): readonly HostPort[] {
  const ports: HostPort[] = [];
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === 'Always') collect(container.ports, ports);
  }
  for (const container of spec.containers) collect(container.ports, ports);
  return ports.length === 0 ? NO_PORTS : ports;
}

/**
 * Ports in use on one node. Counted, not merely set: nodes do hold colliding pods (bound by hand, or while one
 * terminates), and removing one of them must not free the other's port.
 */
export type UsedPorts = Map<string, Map<string, number>>;

export function occupy(used: UsedPorts, ports: readonly HostPort[], delta: 1 | -1): void {
  for (const { ip, slot } of ports) {
    let byIp = used.get(slot);
    if (byIp === undefined) used.set(slot, (byIp = new Map<string, number>()));
    const count = (byIp.get(ip) ?? 0) + delta;
    if (count !== 0) byIp.set(ip, count);
    else {
      byIp.delete(ip);
      if (byIp.size === 0) used.delete(slot);
    }
  }
}

export function firstConflict(used: UsedPorts, wanted: readonly HostPort[]): HostPort | undefined {
  if (used.size === 0) return undefined;
  for (const port of wanted) {
    const byIp = used.get(port.slot);
    if (byIp !== undefined && (port.ip === ANY || byIp.has(ANY) || byIp.has(port.ip))) return port;
  }
  return undefined;
}

export function hostPortNo(port: HostPort, nodeName: string): No {
  return createNo(
    'HostPortConflict',
    () =>
      `choose another hostPort than ${port.slot}${port.ip === ANY ? '' : ` on ${port.ip}`}, or free it on \`${nodeName}\``,
  );
}
