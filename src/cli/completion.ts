/** Shell completion, made from the command line's own grammar so that it cannot fall behind. */
import type { Command } from 'commander';
import { CliError } from './support/cli-error.ts';

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

interface Grammar {
  readonly commands: readonly {
    readonly name: string;
    readonly summary: string;
    /** Words that may follow the name, such as `add` after `user`, or a starter after `init`. */
    readonly parts: readonly string[];
    readonly flags: readonly Flag[];
  }[];
}

interface Flag {
  readonly long: string;
  readonly short: string | undefined;
  readonly summary: string;
  readonly choices: readonly string[];
  readonly takesFile: boolean;
}

export function completionScript(shell: string, program: Command): string {
  const grammar = grammarOf(program);
  switch (shell) {
    case 'bash':
      return bash(grammar);
    case 'zsh':
      return `autoload -U +X bashcompinit && bashcompinit\n${bash(grammar)}`;
    case 'fish':
      return fish(grammar);
    case 'powershell':
      return powershell(grammar);
    default:
      throw new CliError(`unknown shell ${JSON.stringify(shell)}`, `One of: ${SHELLS.join(', ')}`);
  }
}

function grammarOf(program: Command): Grammar {
  return {
    commands: program.commands.map((command) => ({
      name: command.name(),
      summary: command.description(),
      parts: [
        ...command.commands.map((part) => part.name()),
        ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
      ],
      // A flag that a command and a part of it share has the values of the command.
      flags: [...new Map([...command.commands, command].flatMap(flagsOf)).values()],
    })),
  };
}

const flagsOf = (command: Command): (readonly [string, Flag])[] =>
  command.options.map((option) => [
    option.long ?? '',
    {
      long: option.long ?? '',
      short: option.short,
      summary: option.description,
      choices: option.argChoices ?? [],
      takesFile: /<(file|dir)>/.test(option.flags),
    },
  ]);

function bash({ commands }: Grammar): string {
  const cases = commands.map(({ name, flags, parts }) => {
    const words = name === 'completion' ? SHELLS.join(' ') : [...parts, ...flags.map((flag) => flag.long)].join(' ');
    return `    ${name}) words="${words} --help" ;;`;
  });
  // One flag may take different values after different commands.
  const values = commands.flatMap(({ name, flags }) =>
    flags.flatMap((flag) => {
      const spellings = flag.short === undefined ? [flag.long] : [flag.short, flag.long];
      const names = spellings.map((spelling) => `"${name} ${spelling}"`).join(' | ');
      if (flag.takesFile) return [`    ${names}) COMPREPLY=($(compgen -f -- "$current")); return ;;`];
      return flag.choices.length === 0
        ? []
        : [`    ${names}) COMPREPLY=($(compgen -W "${flag.choices.join(' ')}" -- "$current")); return ;;`];
    }),
  );
  return `_everynode() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words
  case "\${COMP_WORDS[1]} $previous" in
${values.join('\n')}
  esac
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    help) words="${commands.map((command) => command.name).join(' ')}" ;;
    *) words="${commands.map((command) => command.name).join(' ')} help --help --version" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _everynode everynode
`;
}

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`\'`)}'`;

function fish({ commands }: Grammar): string {
  const lines = commands.flatMap(({ name, summary, flags, parts }) => [
    `complete -c everynode -f -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
    ...(parts.length === 0
      ? []
      : [`complete -c everynode -f -n '__fish_seen_subcommand_from ${name}' -a ${quote(parts.join(' '))}`]),
    ...flags.map((flag) => {
      const value = flag.takesFile
        ? ' -r -F'
        : flag.choices.length > 0
          ? ` -x -a ${quote(flag.choices.join(' '))}`
          : '';
      return `complete -c everynode -n '__fish_seen_subcommand_from ${name}' -l ${flag.long.slice(2)}${value} -d ${quote(flag.summary)}`;
    }),
  ]);
  return `${lines.join('\n')}\ncomplete -c everynode -f -n '__fish_seen_subcommand_from completion' -a ${quote(SHELLS.join(' '))}\n`;
}

function powershell({ commands }: Grammar): string {
  const table = commands.map(
    ({ name, flags, parts }) =>
      `    '${name}' = @(${[...parts, ...flags.map((flag) => flag.long)].map((word) => `'${word}'`).join(', ')})`,
  );
  return `Register-ArgumentCompleter -Native -CommandName everynode -ScriptBlock {
  param($word, $ast, $position)
  $flags = @{
${table.join('\n')}
  }
  $parts = $ast.CommandElements | ForEach-Object { $_.ToString() }
  $candidates = if ($parts.Count -gt 1 -and $flags.ContainsKey($parts[1])) { $flags[$parts[1]] } else { $flags.Keys }
  $candidates | Where-Object { $_ -like "$word*" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`;
}
