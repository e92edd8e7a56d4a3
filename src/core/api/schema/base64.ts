/** Base64 as Go's decoder takes it: line breaks are skipped, padding is needed; errors tell the byte. */

export type ParsedBase64 = { readonly text: string } | { readonly error: string };

const CLEAN = /^[A-Za-z0-9+/]*$/;
const PADDED = /^[A-Za-z0-9+/]*={0,2}$/;

/** The canonical text of the same bytes (the text itself if it is canonical already), or Go's complaint. */
export function parseBase64(text: string): ParsedBase64 {
  if (text.length % 4 === 0) {
    if (CLEAN.test(text)) return { text };
    // Bits that padding leaves over may be set; writing the bytes again clears them.
    if (PADDED.test(text)) return { text: Buffer.from(text, 'base64').toString('base64') };
  }
  const at = firstFault(text);
  if (at !== -1) return { error: `illegal base64 data at input byte ${at}` };
  return { text: Buffer.from(text, 'base64').toString('base64') };
}

function firstFault(text: string): number {
  const skipBreaks = (index: number): number => {
    let at = index;
    while (text[at] === '\n' || text[at] === '\r') at++;
    return at;
  };
  let inQuad = 0;
  let at = skipBreaks(0);
  while (at < text.length) {
    const character = text[at] ?? '';
    if (character === '=') {
      if (inQuad < 2) return at;
      if (inQuad === 2) {
        const second = skipBreaks(at + 1);
        if (second >= text.length) return text.length;
        if (text[second] !== '=') return second - 1;
        at = second;
      }
      const rest = skipBreaks(at + 1);
      return rest < text.length ? rest : -1;
    }
    if (!CLEAN.test(character)) return at;
    inQuad = (inQuad + 1) % 4;
    at = skipBreaks(at + 1);
  }
  return inQuad === 0 ? -1 : text.length - inQuad;
}
