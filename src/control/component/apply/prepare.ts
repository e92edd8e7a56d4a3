/** Rendered objects made ready to be sent: marked, complete in name, in the order they are needed, and without what the server says. */
import { CUSTOM_RESOURCE_DEFINITIONS, DAEMON_SETS, NAMESPACES } from '../../../core/api/registry/resources.ts';
import type { KubeObject, Resource } from '../../../core/kube/objects.ts';
import { setOwn } from '../../../core/kube/immutable.ts';
import { ComponentApplyError } from './errors.ts';
import { isKind, refKey, refOf, refText, resourceFinder, type ObjectRef } from './object-ref.ts';
import { marked, markedAsCreated } from './ownership.ts';
import type { ComponentIdentity, RenderedComponent } from './rendered.ts';

export interface PreparedObject {
  readonly ref: ObjectRef;
  readonly key: string;
  readonly object: KubeObject;
}

export function prepare(component: RenderedComponent, more: readonly Resource[] = []): readonly PreparedObject[] {
  const { identity, objects } = component;
  const find = resourceFinder(objects, more);
  const seen = new Set<string>();
  const prepared = objects.map((object): PreparedObject => {
    const ref = refOf(find(object), object.metadata.namespace ?? identity.namespace, object.metadata.name);
    const key = refKey(ref);
    if (seen.has(key))
      throw new ComponentApplyError('EN_COMPONENT_APPLY_DUPLICATE', `the component has ${refText(ref)} twice`);
    seen.add(key);
    return { ref, key, object: sendable(object, ref, identity) };
  });
  return inOrder(prepared, ({ ref }) => ref);
}

function sendable(object: KubeObject, ref: ObjectRef, identity: ComponentIdentity): KubeObject {
  const { status: _status, ...rest } = object as KubeObject & { readonly status?: unknown };
  const { name, labels, annotations, ownerReferences, finalizers } = object.metadata;
  const metadata = {
    name,
    ...(ref.namespace === '' ? {} : { namespace: ref.namespace }),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(ownerReferences === undefined ? {} : { ownerReferences }),
    ...(finalizers === undefined ? {} : { finalizers }),
  };
  const own = marked(encodedSecret({ ...rest, metadata }), identity);
  return isKind(ref, NAMESPACES) ? markedAsCreated(own, identity) : own;
}

interface SecretLike extends KubeObject {
  readonly data?: { readonly [key: string]: string };
  readonly stringData?: { readonly [key: string]: string };
}

/** Applying `stringData` owns no `data`, so a key that left the manifest would stay for ever. */
function encodedSecret(object: KubeObject): KubeObject {
  const { stringData, ...rest } = object as SecretLike;
  if (object.kind !== 'Secret' || object.apiVersion !== 'v1' || stringData === undefined) return object;
  const data: { [key: string]: string } = { ...rest.data };
  for (const [key, text] of Object.entries(stringData)) setOwn(data, key, Buffer.from(text, 'utf8').toString('base64'));
  return { ...rest, data } as SecretLike;
}

/** Objects that others need come first; the DaemonSet, whose pods need all of them, last. */
export function rankOf(ref: ObjectRef): number {
  if (isKind(ref, NAMESPACES)) return 0;
  if (isKind(ref, CUSTOM_RESOURCE_DEFINITIONS)) return 1;
  if (isKind(ref, DAEMON_SETS)) return 5;
  if (ref.namespace === '') return 2;
  return WORKLOADS.has(ref.group) ? 4 : 3;
}

const WORKLOADS: ReadonlySet<string> = new Set(['apps', 'batch']);

/** By rank; within a rank as they came. */
export const inOrder = <T>(items: readonly T[], refOfItem: (item: T) => ObjectRef): readonly T[] =>
  items.toSorted((a, b) => rankOf(refOfItem(a)) - rankOf(refOfItem(b)));
