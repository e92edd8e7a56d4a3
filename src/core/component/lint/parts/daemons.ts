/** Names of DaemonSets, for lints that compare the component with others. */
import type { DaemonSet } from '../../../api/types/apps-v1.ts';

export const isSameDaemon = (a: DaemonSet, b: DaemonSet): boolean =>
  a.metadata.name === b.metadata.name && a.metadata.namespace === b.metadata.namespace;

export const daemonName = ({ metadata }: DaemonSet): string => `${metadata.namespace ?? ''}/${metadata.name}`;
