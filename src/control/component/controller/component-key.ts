/** Keys of custom resources: in the queue `group/namespace/name`, as a dependency `namespace/name`. */
import type { ComponentObject } from './component-object.ts';

export interface ComponentKey {
  readonly group: string;
  readonly namespace: string;
  readonly name: string;
}

export const componentKey = (group: string, object: ComponentObject): string => `${group}/${dependencyName(object)}`;

export function parseComponentKey(key: string): ComponentKey {
  const [group = '', namespace = '', name = ''] = key.split('/');
  return { group, namespace, name };
}

/** References name a component without its group. */
export const dependencyName = ({ metadata }: ComponentObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;
