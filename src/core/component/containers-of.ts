/** The containers of a component with the places they are declared at. */
import type { Component, ComponentContainer } from '../api/component/types.ts';
import type { PathStep } from './trace.ts';

type Role = 'app' | 'sidecar' | 'init';

export interface Declared {
  readonly role: Role;
  readonly path: readonly PathStep[];
  readonly container: ComponentContainer;
}

/** The daemon, its sidecars, then init containers: the order in which a volume's first declaration is looked for. */
export function containersOf({ spec }: Component): readonly Declared[] {
  return [
    { role: 'app', path: ['spec', 'container', 'app'], container: spec.container.app },
    ...(spec.container.sidecars ?? []).map((container, index): Declared => ({
      role: 'sidecar',
      path: ['spec', 'container', 'sidecars', index],
      container,
    })),
    ...(spec.pod?.initContainers ?? []).map((container, index): Declared => ({
      role: 'init',
      path: ['spec', 'pod', 'initContainers', index],
      container,
    })),
  ];
}
