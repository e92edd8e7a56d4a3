/**
 * Text laid out in one piece. A text made by joining others keeps its parts, and a text cut from another keeps the
 * whole; for names and UIDs that live in 50,000 objects this is most of their cost. Only the engine can tell the two
 * apart, so this copies.
 */
const scratch = Buffer.alloc(1024);

/** The same text in one piece. Text beyond Latin-1 or of unusual length comes back as it is. */
export function flatText(text: string): string {
  // The engine keeps no parts of texts below thirteen characters.
  if (text.length < 13 || text.length > scratch.length) return text;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0xff) return text;
    scratch[i] = code;
  }
  return scratch.toString('latin1', 0, text.length);
}
