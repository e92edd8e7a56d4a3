/**
 * Addresses and node ports for services. What is in use is known from the committed services; what was given out is held
 * for its service until that is committed, so that two creates in flight never get the same. A create that fails gives
 * back by itself after a while; the same service may try again at once.
 */
import { isClusterIP, nextClusterIP } from '../../core/api/kinds/cluster-ip.ts';
import { isHeadless, needsHealthCheck } from '../../core/api/kinds/service-prepare.ts';
import { validateClusterIPs } from '../../core/api/kinds/service-validate-ips.ts';
import type { Service, ServicePort, ServiceSpec } from '../../core/api/types/core-v1.ts';
import { type FieldError, invalid } from '../../core/kube/field-errors.ts';
import type { KubeObject, Stored } from '../../core/kube/objects.ts';
import { internalError, invalidObject } from '../../core/kube/status-error.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { Random } from '../../machinery/random/random.ts';
import { createCommittedCache, perTenant } from '../cache/committed-cache.ts';
import type { Allocator } from '../contract/hooks.ts';
import type { Store } from '../store/store.ts';

export interface ServiceAllocationOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** One range, one family: this cluster is single-stack. */
  readonly serviceCIDR: string;
}

export const DEFAULT_SERVICE_CIDR = '10.96.0.0/12';
const FIRST_NODE_PORT = 30_000;
const NODE_PORTS = 2768;
const ALLOCATED = 'provided port is already allocated';
const OUT_OF_RANGE = 'provided port is not in the valid range. The range of valid ports is 30000-32767';
const isNodePort = (port: number): boolean => port >= FIRST_NODE_PORT && port < FIRST_NODE_PORT + NODE_PORTS;
/** Longer than any write takes to be committed. */
const HELD_MS = 60_000;

/** Addresses and ports in use by one tenant's services, as one service sees them: those held for itself are free. */
interface InUse {
  ips(): Set<string>;
  ports(): Set<number>;
  hold(what: string | number): void;
}

interface Held {
  readonly holder: string;
  readonly until: number;
}

const nameOf = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;

export function createServiceAllocator(options: ServiceAllocationOptions): Allocator {
  const inUse = perTenant((tenant) => trackUse(options, tenant));
  const allocate = (object: KubeObject, old: Stored | undefined, tenant: string, dryRun: boolean): KubeObject => {
    const service = object as Service;
    const { spec } = service;
    if (spec === undefined || spec.type === 'ExternalName') return object;
    checkAddresses(service, old);
    const use = inUse(tenant)(nameOf(object));
    const addressed = withAddress(service, spec, (old as Service | undefined)?.spec, use, options.serviceCIDR);
    const ported = withNodePorts(service, addressed, (old as Service | undefined)?.spec, use, options.random, dryRun);
    if (!dryRun) for (const what of takenBy(ported)) use.hold(what);
    const result: Service = ported === spec ? service : { ...service, spec: ported };
    return result;
  };
  return {
    onCreate: (object, target, dryRun) => allocate(object, undefined, target.tenant, dryRun),
    checkUpdate(object, old, dryRun) {
      checkAddresses(object, old);
      // A dry run allocates no port, so it refuses none.
      if (!dryRun) checkNodePorts(object as Service, old as Stored<Service>);
    },
    onUpdate: (object, old, target, dryRun) => allocate(object, old, target.tenant, dryRun),
  };
}

/** Allocates nothing where addresses contradict each other. */
function checkAddresses(object: KubeObject, old: Stored | undefined): void {
  const spec = (object as Service).spec ?? {};
  const wrong = validateClusterIPs(spec, (old as Service | undefined)?.spec);
  const all = wrong.length > 0 ? wrong : oneStackProblems(spec);
  if (all.length > 0) throw invalidObject({ group: '', kind: 'Service' }, object.metadata.name, all);
}

function oneStackProblems({ clusterIPs, ipFamilies, ipFamilyPolicy, type }: ServiceSpec): readonly FieldError[] {
  if (type === 'ExternalName' || ipFamilyPolicy !== 'SingleStack') return [];
  const several = [
    ...(clusterIPs?.length === 2 ? ['cluster IPs'] : []),
    ...(ipFamilies?.length === 2 ? ['IP families'] : []),
  ];
  return several.map((what) =>
    invalid(
      'spec.ipFamilyPolicy',
      ipFamilyPolicy,
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    ),
  );
}

/** Services of other types may not even ask for a node port. */
const hasNodePorts = (spec: ServiceSpec | undefined): boolean =>
  spec?.type === 'NodePort' || spec?.type === 'LoadBalancer';

/** A node port out of range is reported before the rest of a change is judged. */
function checkNodePorts(service: Service, { spec: before }: Stored<Service>): void {
  if (!hasNodePorts(service.spec)) return;
  const had = new Set((before?.ports ?? []).map(({ nodePort }) => nodePort));
  for (const [at, { nodePort }] of (service.spec?.ports ?? []).entries()) {
    if (nodePort && !had.has(nodePort) && !isNodePort(nodePort))
      refuse(service, invalid(`spec.ports[${at}].nodePort`, nodePort, OUT_OF_RANGE));
  }
}

function trackUse({ clock, store }: ServiceAllocationOptions, tenant: string): (holder: string) => InUse {
  const held = new Map<string | number, Held>();
  const services = createCommittedCache<Stored<Service>>(
    store,
    { tenant, group: '', resource: 'services' },
    nameOf,
    ({ spec }) => {
      for (const what of takenBy(spec)) held.delete(what);
    },
  );
  let known: { readonly version: number; readonly ips: Set<string>; readonly ports: Set<number> } | undefined;
  const current = () => {
    const { version } = services;
    if (known?.version !== version) known = { version, ...gather(services.values()) };
    return known;
  };
  const heldByOthers = (self: string): (string | number)[] => {
    const now = clock.monotonic();
    const others: (string | number)[] = [];
    for (const [what, { holder, until }] of held) {
      if (until <= now) held.delete(what);
      else if (holder !== self) others.push(what);
    }
    return others;
  };
  return (holder) => ({
    ips: () => new Set([...current().ips, ...heldByOthers(holder).filter((what) => typeof what === 'string')]),
    ports: () => new Set([...current().ports, ...heldByOthers(holder).filter((what) => typeof what === 'number')]),
    hold(what) {
      const { ips, ports } = current();
      if (typeof what === 'string' ? ips.has(what) : ports.has(what)) return;
      held.set(what, { holder, until: clock.monotonic() + HELD_MS });
    },
  });
}

function takenBy(spec: ServiceSpec | undefined): (string | number)[] {
  const taken: (string | number)[] = (spec?.clusterIPs ?? []).filter((ip) => ip !== 'None');
  for (const { nodePort } of spec?.ports ?? []) if (nodePort) taken.push(nodePort);
  if (spec?.healthCheckNodePort) taken.push(spec.healthCheckNodePort);
  return taken;
}

function gather(services: Iterable<Stored<Service>>): { ips: Set<string>; ports: Set<number> } {
  const ips = new Set<string>();
  const ports = new Set<number>();
  for (const { spec } of services) {
    for (const what of takenBy(spec)) {
      if (typeof what === 'string') ips.add(what);
      else ports.add(what);
    }
  }
  return { ips, ports };
}

const refuse = (service: Service, ...errors: readonly FieldError[]): never => {
  throw invalidObject({ group: '', kind: 'Service' }, service.metadata.name, errors);
};

function withAddress(
  service: Service,
  spec: ServiceSpec,
  old: ServiceSpec | undefined,
  use: InUse,
  cidr: string,
): ServiceSpec {
  const family = cidr.includes(':') ? 'IPv6' : 'IPv4';
  const policy = spec.ipFamilyPolicy ?? old?.ipFamilyPolicy;
  if (isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0) {
    // A headless Service without a selector has endpoints written by hand, which may be of any family.
    const ipFamilyPolicy = policy ?? 'RequireDualStack';
    const [first = family, ...others] = spec.ipFamilies ?? [];
    const isWhole = others.length > 0 || ipFamilyPolicy === 'SingleStack';
    const ipFamilies = isWhole ? [first, ...others] : [first, first === 'IPv4' ? 'IPv6' : 'IPv4'];
    const isSame = policy === spec.ipFamilyPolicy && spec.ipFamilies?.length === ipFamilies.length;
    return isSame ? spec : { ...spec, ipFamilyPolicy, ipFamilies };
  }
  const wrong: FieldError[] = [];
  if (policy === 'RequireDualStack') {
    wrong.push(invalid('spec.ipFamilyPolicy', policy, 'this cluster is not configured for dual-stack services'));
  }
  for (const [index, wanted] of (spec.ipFamilies ?? []).entries()) {
    if (wanted !== family) wrong.push(invalid(`spec.ipFamilies[${index}]`, wanted, 'not configured on this cluster'));
  }
  if (wrong.length > 0) refuse(service, ...wrong);
  const families = {
    ipFamilies: spec.ipFamilies?.length ? spec.ipFamilies : [family],
    ipFamilyPolicy: policy ?? 'SingleStack',
  };
  const complete = spec.ipFamilies?.length && policy !== undefined;
  const wanted = spec.clusterIPs ?? [];
  if (wanted.length > 0) {
    const before = new Set(old?.clusterIPs);
    const fresh = wanted.filter((ip) => ip !== 'None' && !before.has(ip));
    const foreign = wanted.findIndex((ip) => ip !== 'None' && ip.includes(':') !== (family === 'IPv6'));
    if (foreign !== -1) {
      const text = `${family === 'IPv6' ? 'IPv4' : 'IPv6'} is not configured on this cluster`;
      refuse(service, invalid(`spec.clusterIPs[${foreign}]`, wanted, text));
    }
    const strange = fresh.find((ip) => !isClusterIP(ip, cidr));
    if (strange !== undefined) {
      const text = `failed to allocate IP ${strange}: the provided network does not match the current range`;
      refuse(service, invalid('spec.clusterIPs', wanted, text));
    }
    const used = fresh.length > 0 ? use.ips() : undefined;
    const taken = fresh.find((ip) => used?.has(ip));
    if (taken !== undefined) {
      const text = `failed to allocate IP ${taken}: provided IP is already allocated`;
      refuse(service, invalid('spec.clusterIPs', wanted, text));
    }
    return complete ? spec : { ...spec, ...families };
  }
  const ip = nextClusterIP(use.ips(), cidr);
  if (ip === undefined) throw internalError('failed to allocate a serviceIP: range is full');
  return { ...spec, clusterIP: ip, clusterIPs: [ip], ...families };
}

function withNodePorts(
  service: Service,
  spec: ServiceSpec,
  old: ServiceSpec | undefined,
  use: InUse,
  random: Random,
  dryRun: boolean,
): ServiceSpec {
  const wantsPorts =
    spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
  const wantsHealth = needsHealthCheck(spec) && !spec.healthCheckNodePort;
  const chosen = (spec.ports ?? []).some(({ nodePort }) => nodePort);
  if (!wantsPorts && !wantsHealth && !chosen && !spec.healthCheckNodePort) return spec;
  const used = use.ports();
  const before = new Set((old?.ports ?? []).map(({ nodePort }) => nodePort));
  (spec.ports ?? []).forEach(({ nodePort }, at) => {
    // A dry run allocates no port, so it refuses none.
    if (!nodePort || dryRun || before.has(nodePort) || !hasNodePorts(spec)) return;
    const problem = isNodePort(nodePort) ? (used.has(nodePort) ? ALLOCATED : undefined) : OUT_OF_RANGE;
    if (problem !== undefined) refuse(service, invalid(`spec.ports[${at}].nodePort`, nodePort, problem));
  });
  const { healthCheckNodePort: health } = spec;
  if (health && health !== old?.healthCheckNodePort && needsHealthCheck(spec)) {
    const problem = isNodePort(health) ? (used.has(health) ? ALLOCATED : undefined) : OUT_OF_RANGE;
    if (problem !== undefined)
      throw internalError(`failed to allocate requested HealthCheck NodePort ${health}: ${problem}`);
    used.add(health);
  }
  for (const { nodePort } of spec.ports ?? []) if (nodePort) used.add(nodePort);
  const next = (): number => freePort(used, random);
  const sameOf = new Map<number | undefined, number>(
    (spec.ports ?? []).flatMap(({ nodePort, port }) => (nodePort ? [[port, nodePort] as const] : [])),
  );
  const ports = wantsPorts
    ? (spec.ports ?? []).map((port): ServicePort => {
        // One port in several protocols is one port on the nodes too.
        const nodePort = port.nodePort || sameOf.get(port.port) || next();
        sameOf.set(port.port, nodePort);
        return port.nodePort ? port : { ...port, nodePort };
      })
    : spec.ports;
  const changed = ports?.some((port, at) => port !== spec.ports?.[at]) === true;
  if (!changed && !wantsHealth) return spec;
  return {
    ...spec,
    ...(ports === undefined ? {} : { ports }),
    ...(wantsHealth ? { healthCheckNodePort: next() } : {}),
  };
}

/** Random, so that a port given back is not at once given to another; then in order, so that the last one is found. */
function freePort(used: Set<number>, random: Random): number {
  const start = random.integer(NODE_PORTS);
  for (let step = 0; step < NODE_PORTS; step++) {
    const port = FIRST_NODE_PORT + ((start + step) % NODE_PORTS);
    if (used.has(port)) continue;
    used.add(port);
    return port;
  }
  throw internalError('failed to allocate a nodePort: range is full');
}
