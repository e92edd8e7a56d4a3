/** Help texts name their subjects: CONTRIBUTING.md, "Plain words". */
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from './main.ts';

/** Words that stand for a noun which the text should use instead. At the beginning of a clause they are its subject. */
const PRONOUN_AS_SUBJECT =
  /(?:^|[.;:]\s+)(?:it|its|they|them|their|this|that|these|those|others|somebody|nobody|everybody|anybody|what|whatever|who|whoever|whose|where it|so (?:long|many|much|often))\b/i;
/** A verb whose object is only a pronoun says as little. */
const PRONOUN_AS_OBJECT = /\b(?:of|with|to|for) (?:it|them)\b|\bthere,/i;

/** Texts of `addHelpText`, which only the printed help shows: one for each line, since wrapped lines are not sentences. */
function addedTexts(command: Command): readonly string[] {
  let printed = '';
  command.configureOutput({ writeOut: (text) => (printed += text) });
  command.outputHelp();
  const plain = command.helpInformation();
  return printed
    .replace(plain, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function textsOf(command: Command): readonly (readonly [where: string, text: string])[] {
  const where = command.name();
  return [
    [where, command.description()],
    ...addedTexts(command).map((text) => [`${where} (added)`, text] as const),
    ...command.options.map((option) => [`${where} ${option.flags}`, option.description] as const),
    ...command.registeredArguments.map((argument) => [`${where} ${argument.name()}`, argument.description] as const),
    ...command.commands.flatMap(textsOf),
  ];
}

const faultsOf = (text: string): readonly string[] =>
  [PRONOUN_AS_SUBJECT, PRONOUN_AS_OBJECT].flatMap((pattern) => pattern.exec(text)?.[0] ?? []);

describe('help texts', () => {
  const texts = textsOf(createProgram());

  it('are all read', () => {
    expect(texts.length).toBeGreaterThan(80);
    for (const [where, text] of texts) expect(text, where).not.toBe('');
  });

  it.each(texts)('%s: %s', (_where, text) => expect(faultsOf(text)).toEqual([]));

  it.each([
    'others wait so long for a silent leader',
    'where it is (default: the namespace of the pod)',
    'read tls.crt and tls.key there, again whenever they change',
    'what is written of which requests',
    'only check every byte of it',
    'the API server is asked; whoever answers first counts',
  ])('with a pronoun for a subject are found: %s', (text) => expect(faultsOf(text)).not.toEqual([]));
});
