/** For what becomes true after a while: reads again and again until the text is as wanted, and answers with it. */

/** Generous: a busy machine is no failure, and what has come to be is not waited for any longer. */
const LIMIT_MS = 60_000;
/** Soon at first, for what takes a moment; then less often, because looking costs more than waiting. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1000;

export async function eventually(read: () => Promise<string>, wanted: RegExp): Promise<string> {
  const end = Date.now() + LIMIT_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const text = await read();
    if (wanted.test(text)) return text;
    if (Date.now() > end) throw new Error(`never became ${String(wanted)}:\n${text}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
