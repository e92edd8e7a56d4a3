/**
 * Objects that pods name and that are not in the cluster: the DaemonSet is accepted and its pods wait. Of Secrets only
 * their presence is checked, never their content; without permission to read, nothing is reported.
 */
import { CONFIG_MAPS, SECRETS } from '../../../core/api/registry/resources.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import { isStatus, StatusError } from '../../../core/kube/status-error.ts';
import { wasAborted } from '../../../machinery/time/abort.ts';
import { namedObjects, type NamedObject } from '../../../core/component/named-objects.ts';
import type { ApplyContext } from './rendered.ts';

export interface MissingObject extends NamedObject {
  readonly namespace: string;
  /** Keys that the object lacks, where the object exists. */
  readonly missingKeys: readonly string[];
}

export interface Named {
  readonly identity: { readonly namespace: string };
  readonly objects: readonly KubeObject[];
}

/** `together`: components of the same change, whose objects are about to come. */
export async function missingObjects(
  context: Pick<ApplyContext, 'client' | 'signal'>,
  { identity: { namespace }, objects }: Named,
  together: readonly Named[] = [],
): Promise<readonly MissingObject[]> {
  const coming = new Set(
    together
      .filter(({ identity }) => identity.namespace === namespace)
      .flatMap((each) => each.objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)),
  );
  const missing: MissingObject[] = [];
  for (const named of namedObjects(objects)) {
    if (coming.has(`${named.kind} ${named.name}`)) continue;
    const missingKeys = await lackingIn(context, namespace, named);
    if (missingKeys !== undefined) missing.push({ ...named, namespace, missingKeys });
  }
  return missing;
}

/** Undefined where nothing is missing, or the server does not tell; an empty list where the object does not exist. */
async function lackingIn(
  { client, signal }: Pick<ApplyContext, 'client' | 'signal'>,
  namespace: string,
  { kind, name, keys }: NamedObject,
): Promise<readonly string[] | undefined> {
  const options = signal === undefined ? {} : { signal };
  try {
    if (kind === 'Secret') {
      await client.get(SECRETS, { namespace, name }, { ...options, metadataOnly: true });
      return undefined;
    }
    const { data = {}, binaryData = {} } = await client.get(CONFIG_MAPS, { namespace, name }, options);
    const lacking = keys.filter((key) => !Object.hasOwn(data, key) && !Object.hasOwn(binaryData, key));
    return lacking.length === 0 ? undefined : lacking;
  } catch (error) {
    if (wasAborted(error, signal) || !(error instanceof StatusError)) throw error;
    return isStatus(error, 'NotFound') ? [] : undefined;
  }
}

export function missingText({ kind, namespace, name, isLogin, missingKeys }: MissingObject): string {
  const what = `${kind} ${namespace}/${name}`;
  if (missingKeys.length > 0) return `${what} has no key ${missingKeys.join(', ')}; pods will wait until it does`;
  const then = isLogin ? 'images that need its login cannot be pulled' : 'pods will wait until it does';
  return `${what} does not exist; ${then}`;
}
