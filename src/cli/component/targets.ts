/** Which components a command is about: named, or read from the manifests they came from. */
import type { ComponentIdentity } from '../../control/component/apply/rendered.ts';
import { CliError } from '../cli-error.ts';
import type { TargetFlags } from './flags.ts';
import { prepareInputs } from './prepare.ts';

/** Undefined where nothing is named. Names are completed with the namespace later, when the cluster is known. */
export type Targets =
  | { readonly by: 'name'; readonly names: readonly string[] }
  | { readonly by: 'manifest'; readonly identities: readonly ComponentIdentity[] };

export async function readTargets(names: readonly string[], flags: TargetFlags): Promise<Targets | undefined> {
  const hasInput = flags.filename.length > 0 || flags.kustomize.length > 0;
  if (names.length > 0 && hasInput) throw new CliError('names and manifests are both given', 'Give one of the two');
  if (names.length > 0) return { by: 'name', names: [...new Set(names)] };
  if (!hasInput) return undefined;
  const components = await prepareInputs(flags, { withSecrets: false });
  const identities = components.map(({ rendered }) => {
    const { name, namespace } = rendered.identity;
    return { name, namespace };
  });
  return { by: 'manifest', identities };
}

export const requireTargets = async (names: readonly string[], flags: TargetFlags): Promise<Targets> => {
  const targets = await readTargets(names, flags);
  if (targets === undefined)
    throw new CliError('no component is named', 'Name it, with -n NAMESPACE, or give its manifest: -f FILE');
  return targets;
};

export const identitiesOf = (targets: Targets, namespace: string): readonly ComponentIdentity[] =>
  targets.by === 'manifest' ? targets.identities : targets.names.map((name) => ({ name, namespace }));
