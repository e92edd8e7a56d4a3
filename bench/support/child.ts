/** Runs a script in a process of its own and reads the JSON it prints. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { note } from './report.ts';

const exec = promisify(execFile);

export async function inChild<T>(
  script: URL,
  flags: readonly string[],
  args: readonly string[] = [],
): Promise<readonly T[]> {
  const { stdout, stderr } = await exec(process.execPath, [...flags, fileURLToPath(script), ...args], {
    maxBuffer: 1 << 24,
  });
  if (stderr !== '') note(stderr.trim());
  return JSON.parse(stdout) as readonly T[];
}
