/** Lints about what a manifest takes from the machine of whoever applies it: it may be somebody else's manifest. */
import type { SecretOrigin } from '../../api/component/secret-text.ts';
import { containersOf } from '../containers-of.ts';
import type { PathStep } from '../trace.ts';
import { dockerConfigMention } from '../secrets/secret-source.ts';
import type { Lint, LintContext } from './context.ts';

export const reads: Lint = (context) => {
  const { component } = context;
  for (const { container, path } of containersOf(component))
    for (const [index, { value }] of (container.env?.secrets ?? []).entries())
      if (value !== undefined) judge(context, value.origin, [...path, 'env', 'secrets', index, 'value']);
  for (const [index, { password }] of (component.spec.pod?.imageRegistries ?? []).entries())
    judge(context, password.origin, ['spec', 'pod', 'imageRegistries', index, 'password']);
  const mention = dockerConfigMention(component.metadata);
  if (mention !== undefined)
    judge(context, { from: 'file', path: mention.path }, ['metadata', mention.in, mention.key]);
};

function judge({ report }: LintContext, origin: SecretOrigin, path: readonly PathStep[]): void {
  if (origin.from === 'literal') return;
  if (origin.from === 'env') {
    const message = `the variable ${origin.name} of the machine that applies it goes into a Secret`;
    report(
      'reads-variable',
      path,
      message,
      `apply it with --allow-env ${origin.name}, or name a Secret with secretRef`,
    );
    return;
  }
  const why = whyOutside(origin.path);
  if (why === undefined) {
    const message = `the file ${origin.path}, beside the manifest, goes into a Secret`;
    report('reads-file', path, message, 'or name a Secret of the cluster with secretRef');
    return;
  }
  const instead = 'keep it below the folder of the manifest, or apply it with --allow-files FOLDER';
  report('reads-outside', path, `${origin.path} is not read: ${why}`, instead);
}

/** As far as the path itself shows it; links are looked at when it is applied. */
function whyOutside(path: string): string | undefined {
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
