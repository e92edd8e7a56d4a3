/** All problems of a component that is to be stored in a cluster, at once. */
import type { Problem } from '../../../core/component/problem.ts';
import { problemAt, type ReadComponent } from '../../../core/component/read/read-component.ts';
import { resolveReferences } from '../../../core/component/references/resolve.ts';
import type { Rendered } from '../../../core/component/render/render.ts';
import { dockerConfigMention, literalSecretProblems } from '../../../core/component/secrets/secret-source.ts';
import { checkComponent } from '../../../core/component/validate/check-component.ts';

export interface Verdict {
  readonly read: ReadComponent;
  /** Absent where not even rendering made sense. */
  readonly rendered?: Rendered;
  readonly problems: readonly Problem[];
}

/**
 * In place of a reference's value: unknown before the controller has looked, and the referenced component may come
 * later.
 */
const STAND_IN = 'to-be-looked-up';
/** Problems that one answer reports; after this many the check ends. */
const ENOUGH = 500;

export function judge(written: ReadComponent): Verdict {
  const secrets = [...literalSecretProblems(written), ...dockerConfigProblems(written)];
  if (written.problems.length > ENOUGH) return { read: written, problems: inTurn(secrets, written.problems) };
  const resolved = resolveReferences([written], [], { lookUp: () => STAND_IN });
  const read = resolved.components[0] ?? written;
  const { rendered, problems } = checkComponent(read);
  const isNamespaceKnown = written.component.spec.namespace.value !== undefined;
  const known = problems.filter(({ code }) => isNamespaceKnown || code !== 'EN_COMPONENT_SECRET_NAMESPACE');
  return { read, rendered, problems: inTurn(inTurn(secrets, resolved.problems), known) };
}

/** Secrets first: the end of a long list may be cut off. A path is reported once. */
function inTurn(first: readonly Problem[], rest: readonly Problem[]): readonly Problem[] {
  const paths = new Set(first.map(({ path }) => path));
  return [...first, ...rest.filter(({ path }) => !paths.has(path))];
}

/** The file of a registry's login, which is the author's and not the controller's. */
function dockerConfigProblems(read: ReadComponent): readonly Problem[] {
  const said = dockerConfigMention(read.component.metadata);
  if (said === undefined) return [];
  return [
    problemAt(read, ['metadata', said.in, said.key], {
      code: 'EN_COMPONENT_LITERAL_SECRET',
      message: 'the controller cannot read a file of yours',
      suggestion: 'make a Secret of type kubernetes.io/dockerconfigjson and name it in pod.imagePullSecrets',
    }),
  ];
}
