/** Sources of secrets on the command line: variables of this process, and files beside the manifest. */
import { dirname, resolve } from 'node:path';
import { SecretRefused, type SecretSource } from '../../core/component/secrets/secret-source.ts';
import { SecretText } from '../../core/api/component/secret-text.ts';
import { CliError } from '../support/cli-error.ts';
import { readAllowed, type AllowedFolder } from './allowed-files.ts';
import type { SecretFlags } from './flags.ts';
import { decodeText, readText, STDIN } from './input.ts';
import { shellWord } from './text.ts';

export interface GuardedSecrets {
  readonly source: SecretSource;
  /** Files and variables read so far, with their manifest, each once; never a value. */
  readings(): readonly string[];
}

const ANY = '*';

/**
 * The manifest may be from anywhere: it gets the variables that are allowed by name, and files below its own folder.
 */
export function createSecretSource({ allowEnv, allowFiles }: SecretFlags, env = process.env): GuardedSecrets {
  const variables = new Set(allowEnv.flatMap((names) => names.split(',')));
  const named = allowFiles.map((path): AllowedFolder => ({ path: requireFolder(path), isNamed: true }));
  const readings = new Set<string>();
  const tell = (what: string, manifest: string): void =>
    void readings.add(`reads ${what} for a secret of ${manifest === STDIN ? 'the manifest from stdin' : manifest}`);
  return {
    readings: () => [...readings],
    source: {
      env(name, manifest) {
        if (!variables.has(name) && !variables.has(ANY))
          throw new SecretRefused(
            'a manifest gets only the variables it is allowed',
            `if that is meant: --allow-env ${shellWord(name)}`,
          );
        // A name such as __proto__ is no variable.
        const value = Object.hasOwn(env, name) ? env[name] : undefined;
        if (value !== undefined) tell(`the variable ${name}`, manifest);
        return value;
      },
      file(path, manifest) {
        const own = manifest === STDIN ? [] : [{ path: dirname(manifest), isNamed: false }];
        const found = readAllowed(resolve(own[0]?.path ?? '.', path), [...own, ...named]);
        if (found === undefined) return undefined;
        tell(`the file ${found.path}`, manifest);
        return decodeText(found.content, found.path);
      },
    },
  };
}

function requireFolder(path: string): string {
  if (path === '') throw new CliError('--allow-files is empty', 'Give it a folder; . is the current one');
  return path;
}

export function readDockerConfig(file: string): SecretText {
  try {
    return SecretText.literal(readText(file));
  } catch (error) {
    throw new CliError(`--docker-config: ${(error as Error).message}`);
  }
}
