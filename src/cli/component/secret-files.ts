/** Where the author of a manifest keeps secrets: variables of this process, and files beside the manifest. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { SecretSource } from '../../control/component/secrets/secret-source.ts';
import { SecretText } from '../../core/api/component/secret-text.ts';
import { CliError } from '../cli-error.ts';
import { STDIN } from './input.ts';

export const secretSource: SecretSource = {
  env: (name) => process.env[name],
  file: (path, manifest) => readSecret(manifest === STDIN ? resolve(path) : resolve(dirname(manifest), path)),
};

function readSecret(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new CliError(`cannot read the secret in ${file}: ${message}`);
  }
}

export function readDockerConfig(file: string): SecretText {
  const text = readSecret(resolve(file));
  if (text === undefined) throw new CliError(`--docker-config: there is no file ${file}`);
  return SecretText.literal(text);
}
