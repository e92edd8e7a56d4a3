/** The types of a component, inferred from its declaration. This is the form the reader makes of every older one. */
import type { container } from './container.ts';
import type { ValueOf } from './language.ts';
import type { pod } from './pod.ts';
import type { probe } from './probes.ts';
import type { reference } from './references.ts';
import type { manifest } from './spec.ts';
import type { volumeMount } from './volumes.ts';

export type Component = ValueOf<typeof manifest>;
export type ComponentSpec = Component['spec'];
export type ComponentContainer = ValueOf<typeof container>;
export type ComponentPod = ValueOf<typeof pod>;
export type ComponentProbe = ValueOf<typeof probe>;
export type ComponentMount = ValueOf<typeof volumeMount>;
export type ComponentImage = ComponentContainer['image'];
type ComponentEnv = NonNullable<ComponentContainer['env']>;
export type ComponentVariable = NonNullable<ComponentEnv['variables']>[number];
export type ComponentSecret = NonNullable<ComponentEnv['secrets']>[number];
export type Reference = ValueOf<typeof reference>;
