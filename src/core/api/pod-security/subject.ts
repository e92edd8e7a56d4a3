/** A pod as the checks look at it, and the words they have in common. */
import type { Container, EphemeralContainer, PodSpec } from '../types/core-v1.ts';

export interface Subject {
  readonly annotations: { readonly [key: string]: string };
  readonly spec: PodSpec;
  /** All kinds of containers, in the order they are looked at. */
  readonly containers: readonly (Container | EphemeralContainer)[];
}

export const subjectOf = (annotations: Subject['annotations'] | undefined, spec: PodSpec): Subject => ({
  annotations: annotations ?? {},
  spec,
  containers: [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])],
});

/** Why a pod is refused: in short, and with the particulars. */
export interface Finding {
  readonly reason: string;
  readonly detail: string;
}

export type Check = (subject: Subject) => Finding | undefined;

/** `"a", "b"`, without any escaping. */
export const quoted = (items: readonly string[]): string => `"${items.join('", "')}"`;

export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);

/** `container "a"` or `containers "a", "b"`. */
export const namedContainers = (names: readonly string[]): string =>
  `${plural('container', 'containers', names.length)} ${quoted(names)}`;

/** The distinct values, sorted. */
export const distinct = (values: Iterable<string>): readonly string[] => [...new Set(values)].toSorted();

/** The names of the containers of which this is true. */
export const containersWhere = (
  { containers }: Subject,
  isBad: (container: Container | EphemeralContainer) => boolean,
): readonly string[] => containers.filter(isBad).map(({ name }) => name ?? '');

/** `pod and container "a"`. */
export function setters(isPodBad: boolean, containers: readonly string[]): string {
  const parts = [...(isPodBad ? ['pod'] : []), ...(containers.length > 0 ? [namedContainers(containers)] : [])];
  return parts.join(' and ');
}

export const isWindows = ({ spec }: Subject): boolean => spec.os?.name === 'windows';

/** A pod in a user namespace of its own is root only there. */
export const hasOwnUsers = ({ spec }: Subject): boolean => spec.hostUsers === false;
