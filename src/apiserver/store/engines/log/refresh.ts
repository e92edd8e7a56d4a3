/**
 * Bytes that a process reads at its start may be in the page cache alone: the process before it was killed between write and
 * sync, or its sync failed. After a failed sync the kernel takes those pages for written, and no later sync writes them.
 * So the bytes that the store is about to build on are written once more, as they are, and synced.
 */
import type { LogFile } from './files.ts';

export async function refresh(file: LogFile, start: number, end: number): Promise<void> {
  const bytes = Buffer.allocUnsafe(end - start);
  const length = await file.read(bytes, start);
  await file.write(bytes.subarray(0, length), start);
  await file.sync();
}
