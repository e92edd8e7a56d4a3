/** Properties of a resource that follow from its name. */
import { qualifiedNameProblems } from '../../kube/names.ts';

const HUGE_PAGES = 'hugepages-';
const REQUESTS = 'requests.';

export const isHugePages = (name: string): boolean => name.startsWith(HUGE_PAGES);
/** `2Mi` of `hugepages-2Mi`. */
export const hugePageSize = (name: string): string => name.slice(HUGE_PAGES.length);

/** Kubernetes' own resources: names without prefix, or with one of its domains. */
export const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

/** Requests may be lower than limits. */
export const allowsOvercommit = (name: string): boolean => isNative(name) && !isHugePages(name);

export const isContainerResource = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' || isHugePages(name);

const COUNTED: ReadonlySet<string> = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

const STANDARD: ReadonlySet<string> = new Set([
  ...COUNTED,
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'storage',
  'requests.storage',
]);

export const isStandard = (name: string): boolean =>
  STANDARD.has(name) || isHugePages(name) || name.startsWith(REQUESTS + HUGE_PAGES);

/** A device or another resource that a node or driver announces; counted in whole units. */
export const isExtended = (name: string): boolean =>
  !isNative(name) && !name.startsWith(REQUESTS) && qualifiedNameProblems(REQUESTS + name).length === 0;

export const isWholeNumbered = (name: string): boolean => COUNTED.has(name) || isExtended(name);
