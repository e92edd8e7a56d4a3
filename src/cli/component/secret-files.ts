/** Where the author of a manifest keeps secrets: variables of this process, and files beside the manifest. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { SecretSource } from '../../control/component/secrets/secret-source.ts';
import { SecretText } from '../../core/api/component/secret-text.ts';
import { CliError } from '../cli-error.ts';
import { readText, STDIN } from './input.ts';

export const secretSource: SecretSource = {
  env: (name) => process.env[name],
  file: (path, manifest) => readSecret(manifest === STDIN ? resolve(path) : resolve(dirname(manifest), path)),
};

function readSecret(file: string): string | undefined {
  return existsSync(file) ? readText(file) : undefined;
}

export function readDockerConfig(file: string): SecretText {
  try {
    return SecretText.literal(readText(file));
  } catch (error) {
    throw new CliError(`--docker-config: ${(error as Error).message}`);
  }
}
