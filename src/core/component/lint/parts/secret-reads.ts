/** Files and variables that an apply reads from the machine on which it runs: the manifest may be somebody else's. */
import type { SecretOrigin } from '../../../api/component/secret-text.ts';
import { dockerConfigMention } from '../../secrets/secret-source.ts';
import type { PathStep } from '../../trace.ts';
import type { LintContext } from '../contract/lint.ts';

interface SecretRead {
  readonly origin: SecretOrigin;
  readonly path: readonly PathStep[];
}

export function* secretReads({ component, containers }: LintContext): Generator<SecretRead> {
  for (const { container, path } of containers)
    for (const [index, { value }] of (container.env?.secrets ?? []).entries())
      if (value !== undefined) yield { origin: value.origin, path: [...path, 'env', 'secrets', index, 'value'] };
  for (const [index, { password }] of (component.spec.pod?.imageRegistries ?? []).entries())
    yield { origin: password.origin, path: ['spec', 'pod', 'imageRegistries', index, 'password'] };
  const mention = dockerConfigMention(component.metadata);
  if (mention !== undefined)
    yield { origin: { from: 'file', path: mention.path }, path: ['metadata', mention.in, mention.key] };
}

/** Why apply refuses a file, as far as its path shows; links are resolved when the manifest is applied. */
export function whyOutside(path: string): string | undefined {
  if (/^(?:[\\/]|[A-Za-z]:[\\/])/.test(path)) return 'it is an absolute path';
  let depth = 0;
  for (const part of path.split(/[\\/]/)) {
    if (part === '' || part === '.') continue;
    depth += part === '..' ? -1 : 1;
    if (depth < 0) return 'it leads out of the folder of the manifest';
    if (/^\.[^.]/.test(part)) return `${part} is hidden`;
  }
  return undefined;
}
