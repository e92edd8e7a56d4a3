/**
 * Reads manifests: files, folders, stdin, and kustomize's output for a folder. Every input that cannot be read is
 * reported.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ManifestText } from '../../core/component/load/load.ts';
import type { Problem } from '../../core/component/problem.ts';
import { CliError } from '../support/cli-error.ts';
import type { InputFlags } from './flags.ts';

export const STDIN = '-';
const MANIFEST = /\.(?:ya?ml|json)$/i;
const KUSTOMIZATIONS = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];
const MOST_OUTPUT = 64 * 1024 * 1024;

type Inputs = Pick<InputFlags, 'filename' | 'kustomize' | 'recursive'>;

export interface InputTexts {
  readonly texts: readonly ManifestText[];
  /** Files of folders that cannot be read. The user did not name them, so the other files are still read. */
  readonly problems: readonly Problem[];
}

/** Fails for inputs that the user named and that cannot be read. */
export async function readInputs(inputs: Inputs): Promise<InputTexts> {
  const { filename, kustomize, recursive = false } = inputs;
  if (filename.length === 0 && kustomize.length === 0)
    throw new CliError('no manifest is given', 'Name one with -f FILE (a folder, or - for stdin), or -k FOLDER');
  const texts: ManifestText[] = [];
  const problems: Problem[] = [];
  const troubles: string[] = [];
  const attempt = async (read: () => InputTexts | Promise<InputTexts>): Promise<void> => {
    try {
      const found = await read();
      texts.push(...found.texts);
      problems.push(...found.problems);
    } catch (error) {
      troubles.push((error as Error).message);
    }
  };
  for (const name of new Set(filename)) await attempt(() => readInput(name, recursive));
  for (const folder of new Set(kustomize)) await attempt(() => one(kustomized(folder)));
  if (troubles.length > 0) throw new CliError(troubles.join('\nerror: '));
  return { texts, problems };
}

const one = (text: ManifestText): InputTexts => ({ texts: [text], problems: [] });

async function readInput(name: string, recursive: boolean): Promise<InputTexts> {
  if (name === '') throw new Error('-f is empty');
  if (name === STDIN) return one({ file: STDIN, text: await readStdin() });
  return isFolder(name) ? readFolder(name, recursive) : one({ file: name, text: readText(name) });
}

function isFolder(name: string): boolean {
  try {
    return statSync(name).isDirectory();
  } catch (error) {
    throw unreadable(name, error);
  }
}

/** Bytes that are not UTF-8 would be applied as other text than the author wrote. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function readText(name: string): string {
  let content: Buffer;
  try {
    content = readFileSync(name);
  } catch (error) {
    throw unreadable(name, error);
  }
  return decodeText(content, name);
}

export function decodeText(content: Buffer, name: string): string {
  try {
    return utf8.decode(content);
  } catch (error) {
    throw unreadable(name, error);
  }
}

/** Waits for the writer: a read at once fails where nothing is there yet (EAGAIN). */
async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  } catch (error) {
    throw unreadable('stdin', error);
  }
  return decodeText(Buffer.concat(chunks), 'stdin');
}

function unreadable(name: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return new Error(`${name} is no UTF-8 text`);
  return new Error(code === 'ENOENT' ? `there is no file or folder ${name}` : `cannot read ${name}: ${message}`);
}

function readFolder(folder: string, recursive: boolean): InputTexts {
  if (KUSTOMIZATIONS.some((file) => existsSync(join(folder, file)))) return one(kustomized(folder));
  const entries = readdirSync(folder, { recursive, encoding: 'utf8' }).filter((entry) => MANIFEST.test(entry));
  const files = entries
    .map((entry) => join(folder, entry))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isDirectory() !== true);
  if (files.length === 0)
    throw new Error(
      `there is no .yaml, .yml or .json file in ${folder}${recursive ? '' : ' (-R looks into the folders below, too)'}`,
    );
  const texts: ManifestText[] = [];
  const problems: Problem[] = [];
  for (const file of files.toSorted()) {
    try {
      // Reading a pipe in the folder would wait for its writer.
      if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) throw new Error(`${file} is no file`);
      texts.push({ file, text: readText(file) });
    } catch (error) {
      const { message } = error as Error;
      const said = message.startsWith(`${file} `) ? message.slice(file.length + 1) : message;
      problems.push({ code: 'EN_COMPONENT_UNREADABLE', path: '', message: said, place: { file } });
    }
  }
  return { texts, problems };
}

/** By kubectl, which every user of kustomizations has; its version is the one their other tools agree with. */
function kustomized(folder: string): ManifestText {
  const { status, stdout, stderr, error } = spawnSync('kubectl', ['kustomize', folder], {
    encoding: 'utf8',
    maxBuffer: MOST_OUTPUT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (error !== undefined && 'code' in error && error.code === 'ENOENT')
    throw new Error(`${folder} is a kustomization, and kubectl, which would build it, is not found on the PATH`);
  if (error !== undefined) throw new Error(`kubectl kustomize ${folder}: ${error.message}`);
  if (status !== 0) throw new Error(`kubectl kustomize ${folder}: ${stderr.trim()}`);
  // Files that secrets come from are looked for beside the kustomization.
  return { file: join(folder, 'kustomize-output.yaml'), text: stdout };
}
