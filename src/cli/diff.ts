/** `everynode diff`: the changes an apply would make, as the API server sees them. Exit codes as kubectl's. */
import { diffComponent } from '../control/component/apply/diff/diff-component.ts';
import { ComponentApplyError, type ApplyProblem } from '../control/component/apply/errors.ts';
import { componentToApply } from '../control/component/apply/from-rendered.ts';
import { CliError } from './support/cli-error.ts';
import { changeOptions } from './component/change.ts';
import { onCluster } from './component/cluster.ts';
import { DIFF_FAILED } from './component-commands.ts';
import type { ChangeFlags } from './component/flags.ts';
import { prepareWithSecrets } from './component/prepare.ts';
import { printable } from './component/text.ts';
import { colorsFor } from './support/terminal.ts';

export async function diff(flags: ChangeFlags): Promise<void> {
  try {
    if (await showDifferences(flags)) process.exitCode = 1;
  } catch (error) {
    const { message, fix, exitCode = 1 } = error as Partial<CliError> & Error;
    throw new CliError(message, fix, exitCode > 1 ? exitCode : DIFF_FAILED);
  }
}

async function showDifferences(flags: ChangeFlags): Promise<boolean> {
  const options = changeOptions(flags);
  const components = (await prepareWithSecrets(flags)).map(({ rendered }) => componentToApply(rendered));
  const colors = colorsFor(process.stdout);
  let isDifferent = false;
  await onCluster(flags, {}, async ({ context }) => {
    const problems: ApplyProblem[] = [];
    for (const component of components) {
      const result = await diffComponent(context, component, options);
      for (const { text } of result.texts) process.stdout.write(coloured(forTerminal(text), colors));
      isDifferent ||= result.changed;
      problems.push(...result.problems);
    }
    if (problems.length > 0) throw ComponentApplyError.of(problems);
  });
  return isDifferent;
}

/** Escaped for a terminal; into files and pipes the text goes as it is. */
const forTerminal = (text: string): string =>
  process.stdout.isTTY ? text.split('\n').map(printable).join('\n') : text;

function coloured(text: string, colors: ReturnType<typeof colorsFor>): string {
  if (!colors.isColorSupported) return text;
  return text.replaceAll(/^(?:(---|\+\+\+)|(@@)|(\+)|(-)).*$/gm, (line, head, hunk, added) => {
    if (head !== undefined) return colors.bold(line);
    if (hunk !== undefined) return colors.cyan(line);
    return added === undefined ? colors.red(line) : colors.green(line);
  });
}
