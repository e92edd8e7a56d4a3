/** The desired state of one component, computed anew only when one of its inputs has changed: rendering is the costly part. */
import type { Stored } from '../../../core/kube/objects.ts';
import { componentToApply } from '../apply/from-rendered.ts';
import type { RenderedComponent } from '../apply/rendered.ts';
import { COMPONENT_GROUPS } from './component-kinds.ts';
import type { ComponentObject } from './component-object.ts';
import type { ControllerState, Reconcile } from './controller-state.ts';
import { desiredStateOf, type DesiredState, type FindComponent } from './desired-state.ts';
import { checksumOf, referencedSecrets, withChecksum } from './referenced-secrets.ts';

/** Of a name the component in the same group, else the one in the first group that has it. */
export function componentFinder({ kinds }: ControllerState, group: string, namespace: string): FindComponent {
  return (name) => {
    for (const each of [group, ...COMPONENT_GROUPS]) {
      const found = kinds.find(each)?.informer.lister.get(name, namespace);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

export function currentDesiredState({ tracked, object }: Reconcile, find: FindComponent): DesiredState {
  const before = tracked.desired;
  if (before !== undefined && before.inputs === inputsOf(object, before.state.dependencies, find)) return before.state;
  const state = desiredStateOf(object, find);
  tracked.desired = { inputs: inputsOf(object, state.dependencies, find), state };
  tracked.dependencies = state.dependencies.map((name) => `${object.metadata.namespace ?? ''}/${name}`);
  return state;
}

/** All that the desired state is computed from, as one text. */
function inputsOf({ metadata }: Stored<ComponentObject>, dependencies: readonly string[], find: FindComponent): string {
  const { 'kubectl.kubernetes.io/last-applied-configuration': _applied, ...annotations } = metadata.annotations ?? {};
  const versionOf = (name: string): string => {
    const other = find(name);
    return other === undefined ? '' : `${other.metadata.uid}:${other.metadata.generation ?? 0}`;
  };
  return JSON.stringify([metadata.uid, metadata.generation, annotations, metadata.labels, dependencies.map(versionOf)]);
}

/** The objects to apply. Their pod template carries a checksum of the Secrets that pods read and the component does not bring. */
export async function objectsToApply(
  { state, tracked, object, children, signal }: Reconcile,
  desired: DesiredState & { readonly is: 'valid' },
): Promise<RenderedComponent> {
  const { namespace, name } = desired.rendered.identity;
  const names = referencedSecrets(desired.rendered);
  state.secrets.want(tracked.key, namespace, names);
  const digests = new Map<string, string | undefined>();
  for (const secret of names) digests.set(secret, await state.secrets.digest(namespace, secret, signal));
  const checksum = checksumOf(digests, children.daemonSet(namespace, name));
  const { toApply } = tracked;
  if (toApply?.desired === desired && toApply.checksum === checksum) return toApply.component;
  const component = componentToApply(withChecksum(desired.rendered, checksum), object.metadata.uid);
  tracked.toApply = { desired, checksum, component };
  return component;
}
