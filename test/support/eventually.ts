/** For what becomes true after a while: reads again and again until the text is as wanted, and answers with it. */
const LIMIT_MS = 20_000;
const PAUSE_MS = 200;

export async function eventually(read: () => Promise<string>, wanted: RegExp): Promise<string> {
  const end = Date.now() + LIMIT_MS;
  for (;;) {
    const text = await read();
    if (wanted.test(text)) return text;
    if (Date.now() > end) throw new Error(`never became ${String(wanted)}:\n${text}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
