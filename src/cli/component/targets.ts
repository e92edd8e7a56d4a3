/** The components that a command is about: named, or read from the manifests they came from. */
import { type ApplyContext, type ComponentIdentity, identityText } from '../../control/component/apply/rendered.ts';
import { isApplyError } from '../../control/component/apply/errors.ts';
import { listComponents } from '../../control/component/apply/status.ts';
import { CliError } from '../support/cli-error.ts';
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
  const components = await prepareInputs(flags);
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

/** A component of that name in another namespace was most likely meant. */
export async function noComponentError(context: ApplyContext, absent: readonly ComponentIdentity[]): Promise<CliError> {
  const names = new Set(absent.map(({ name }) => name));
  // Users who may not list all namespaces get no hint.
  const all = await listComponents(context).catch(() => []);
  const others = all.map(({ identity }) => identity).filter(({ name }) => names.has(name));
  const hints = others.map(
    ({ name, namespace }) => `There is one called ${name} in namespace ${namespace}: -n ${namespace}`,
  );
  const text = `there is no component ${absent.map(identityText).join(', ')}`;
  return new CliError(text, hints.length === 0 ? undefined : hints.join('\n  '));
}

/** The result of `work`; where the component's DaemonSet does not exist, an error for people that says so. */
export async function orNoComponent<T>(
  context: ApplyContext,
  identity: ComponentIdentity,
  work: Promise<T>,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    // The error about a missing revision names no object.
    const isAbsent =
      isApplyError(error, 'EN_COMPONENT_APPLY_NOT_FOUND') && error.problems.some(({ object }) => object !== undefined);
    throw isAbsent ? await noComponentError(context, [identity]) : error;
  }
}

export const identitiesOf = (targets: Targets, namespace: string): readonly ComponentIdentity[] =>
  targets.by === 'manifest' ? targets.identities : targets.names.map((name) => ({ name, namespace }));
