/** Checks of the baseline level: the known ways out of a container. */
import type { Container, EphemeralContainer, SELinuxOptions } from '../types/core-v1.ts';
import { goQuote } from '../../kube/go-text.ts';
import {
  type Check,
  containersWhere,
  distinct,
  hasOwnUsers,
  namedContainers,
  plural,
  quoted,
  setters,
} from './subject.ts';

type AnyContainer = Container | EphemeralContainer;

const APPARMOR_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';
const isFineAppArmor = (type: string): boolean => type === 'RuntimeDefault' || type === 'Localhost';
const isFineAppArmorNote = (value: string): boolean =>
  value === '' || value === 'runtime/default' || value.startsWith('localhost/');

export const appArmorProfile: Check = (subject) => {
  const podType = subject.spec.securityContext?.appArmorProfile?.type;
  const isPodBad = podType !== undefined && !isFineAppArmor(podType);
  const typeOf = ({ securityContext }: AnyContainer): string | undefined => securityContext?.appArmorProfile?.type;
  const isBad = (container: AnyContainer): boolean => {
    const type = typeOf(container);
    return type !== undefined && !isFineAppArmor(type);
  };
  const bad = containersWhere(subject, isBad);
  const values = distinct([
    ...(isPodBad ? [podType] : []),
    ...subject.containers.filter(isBad).map((c) => typeOf(c) ?? ''),
  ]);
  const notes = Object.entries(subject.annotations)
    .filter(([key, value]) => key.startsWith(APPARMOR_PREFIX) && !isFineAppArmorNote(value))
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .toSorted();
  const who = [setters(isPodBad, bad), notes.length > 0 ? plural('annotation', 'annotations', notes.length) : ''];
  const named = who.filter((text) => text !== '').join(' and ');
  if (named === '') return undefined;
  const all = [...values, ...notes];
  return {
    reason: plural('forbidden AppArmor profile', 'forbidden AppArmor profiles', all.length),
    detail: `${named} must not set AppArmor profile type to ${quoted(all)}`,
  };
};

const DEFAULT_CAPABILITIES: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

export const capabilities: Check = (subject) => {
  const added = ({ securityContext }: AnyContainer): readonly string[] =>
    (securityContext?.capabilities?.add ?? []).filter((name) => !DEFAULT_CAPABILITIES.has(name));
  const bad = containersWhere(subject, (container) => added(container).length > 0);
  if (bad.length === 0) return undefined;
  const names = quoted(distinct(subject.containers.flatMap(added)));
  return {
    reason: 'non-default capabilities',
    detail: `${namedContainers(bad)} must not include ${names} in securityContext.capabilities.add`,
  };
};

export const hostNamespaces: Check = ({ spec }) => {
  const used = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((name) => spec[name] === true);
  if (used.length === 0) return undefined;
  return { reason: 'host namespaces', detail: used.map((name) => `${name}=true`).join(', ') };
};

export const hostPathVolumes: Check = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return { reason: 'hostPath volumes', detail: `${plural('volume', 'volumes', names.length)} ${quoted(names)}` };
};

export const hostPorts: Check = (subject) => {
  const portsOf = ({ ports }: AnyContainer): readonly string[] =>
    (ports ?? []).filter(({ hostPort }) => (hostPort ?? 0) !== 0).map(({ hostPort }) => String(hostPort));
  const bad = containersWhere(subject, (container) => portsOf(container).length > 0);
  if (bad.length === 0) return undefined;
  const ports = distinct(subject.containers.flatMap(portsOf));
  const verb = plural('uses', 'use', bad.length);
  return {
    reason: 'hostPort',
    detail: `${namedContainers(bad)} ${verb} ${plural('hostPort', 'hostPorts', ports.length)} ${ports.join(', ')}`,
  };
};

interface Handler {
  readonly httpGet?: { readonly host?: string };
  readonly tcpSocket?: { readonly host?: string };
}

export const hostProbes: Check = (subject) => {
  const hostsIn = (handler: Handler | undefined): readonly string[] =>
    [handler?.httpGet?.host ?? '', handler?.tcpSocket?.host ?? ''].filter((host) => host !== '');
  const hostsOf = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: AnyContainer): readonly string[] =>
    [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].flatMap((handler) =>
      hostsIn(handler as Handler | undefined),
    );
  const bad = distinct(containersWhere(subject, (container) => hostsOf(container).length > 0));
  if (bad.length === 0) return undefined;
  const hosts = distinct(subject.containers.flatMap(hostsOf));
  const what = plural('probe or lifecycle host', 'probe or lifecycle hosts', hosts.length);
  return {
    reason: 'probe or lifecycle host',
    detail: `${namedContainers(bad)} ${plural('uses', 'use', bad.length)} ${what} ${quoted(hosts)}`,
  };
};

export const privileged: Check = (subject) => {
  const bad = containersWhere(subject, ({ securityContext }) => securityContext?.privileged === true);
  if (bad.length === 0) return undefined;
  return { reason: 'privileged', detail: `${namedContainers(bad)} must not set securityContext.privileged=true` };
};

export const procMount: Check = (subject) => {
  const mountOf = ({ securityContext }: AnyContainer): string => securityContext?.procMount ?? 'Default';
  const bad = containersWhere(subject, (container) => mountOf(container) !== 'Default');
  if (bad.length === 0) return undefined;
  const types = distinct(subject.containers.map(mountOf).filter((type) => type !== 'Default'));
  return {
    reason: 'procMount',
    detail: `${namedContainers(bad)} must not set securityContext.procMount to ${quoted(types)}`,
  };
};

export const procMountOutsideUsers: Check = (subject) => (hasOwnUsers(subject) ? undefined : procMount(subject));

const SELINUX_TYPES = ['', 'container_t', 'container_init_t', 'container_kvm_t'];

const seLinux =
  (allowed: readonly string[]): Check =>
  (subject) => {
    const types: string[] = [];
    let isUserSet = false;
    let isRoleSet = false;
    const isBad = (options: SELinuxOptions | undefined): boolean => {
      if (options === undefined) return false;
      const { type = '', user = '', role = '' } = options;
      const isTypeBad = !allowed.includes(type);
      if (isTypeBad) types.push(type);
      if (user !== '') isUserSet = true;
      if (role !== '') isRoleSet = true;
      return isTypeBad || user !== '' || role !== '';
    };
    const isPodBad = isBad(subject.spec.securityContext?.seLinuxOptions);
    const bad = containersWhere(subject, ({ securityContext }) => isBad(securityContext?.seLinuxOptions));
    const who = setters(isPodBad, bad);
    if (who === '') return undefined;
    const found = distinct(types);
    const what = [
      ...(found.length > 0 ? [`${plural('type', 'types', found.length)} ${quoted(found)}`] : []),
      ...(isUserSet ? ['user may not be set'] : []),
      ...(isRoleSet ? ['role may not be set'] : []),
    ];
    return {
      reason: 'seLinuxOptions',
      detail: `${who} set forbidden securityContext.seLinuxOptions: ${what.join('; ')}`,
    };
  };

export const seLinuxOptions = seLinux(SELINUX_TYPES);
export const seLinuxOptionsWithEngine = seLinux([...SELINUX_TYPES, 'container_engine_t']);

const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
const isFineSeccompNote = (value: string): boolean =>
  value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/');

export const seccompAnnotations: Check = ({ annotations, containers }) => {
  const keys = [SECCOMP_POD, ...containers.map(({ name }) => SECCOMP_CONTAINER + name)];
  const bad = distinct(
    keys.flatMap((key) => {
      const value = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
      return value === undefined || isFineSeccompNote(value) ? [] : [`${key}=${goQuote(value)}`];
    }),
  );
  if (bad.length === 0) return undefined;
  return {
    reason: 'seccompProfile',
    detail: `forbidden ${plural('annotation', 'annotations', bad.length)} ${bad.join(', ')}`,
  };
};

export const isFineSeccomp = (type: string): boolean => type === 'Localhost' || type === 'RuntimeDefault';

export const seccompProfile: Check = (subject) => {
  const podType = subject.spec.securityContext?.seccompProfile?.type;
  const isPodBad = podType !== undefined && !isFineSeccomp(podType);
  const typeOf = ({ securityContext }: AnyContainer): string => securityContext?.seccompProfile?.type ?? 'Localhost';
  const bad = containersWhere(subject, (container) => !isFineSeccomp(typeOf(container)));
  const who = setters(isPodBad, bad);
  if (who === '') return undefined;
  const types = [
    ...(isPodBad ? [podType] : []),
    ...subject.containers.map(typeOf).filter((type) => !isFineSeccomp(type)),
  ];
  return {
    reason: 'seccompProfile',
    detail: `${who} must not set securityContext.seccompProfile.type to ${quoted(distinct(types))}`,
  };
};

const SYSCTLS = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
const SYSCTLS_27 = [...SYSCTLS, 'net.ipv4.ip_local_reserved_ports'];
const SYSCTLS_29 = [
  ...SYSCTLS_27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];
const SYSCTLS_32 = [...SYSCTLS_29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

const onlySysctls =
  (allowed: readonly string[]): Check =>
  ({ spec }) => {
    const bad = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !allowed.includes(name));
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
  };

export const sysctls = onlySysctls(SYSCTLS);
export const sysctls27 = onlySysctls(SYSCTLS_27);
export const sysctls29 = onlySysctls(SYSCTLS_29);
export const sysctls32 = onlySysctls(SYSCTLS_32);

export const windowsHostProcess: Check = (subject) => {
  const isPodBad = subject.spec.securityContext?.windowsOptions?.hostProcess === true;
  const bad = containersWhere(subject, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true);
  const who = setters(isPodBad, bad);
  if (who === '') return undefined;
  return { reason: 'hostProcess', detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` };
};
