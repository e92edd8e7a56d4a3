/** `Warning` headers: each said once, quoted, and never more of them than a client will take. */

/**
 * Limit on the length of all warnings together; beyond it, each is cut and the rest is left out. As Kubernetes has it.
 */
const MAX_TOTAL = 4 * 1024;
const MAX_EACH_OF_MANY = 256;

export function warningHeaders(messages: readonly string[]): readonly string[] {
  const distinct = [...new Set(messages)].filter((message) => message !== '');
  const total = distinct.reduce((sum, { length }) => sum + length, 0);
  if (total <= MAX_TOTAL) return distinct.map(warningHeader);
  const headers: string[] = [];
  let written = 0;
  for (const message of distinct) {
    if (written >= MAX_TOTAL) break;
    const cut = message.slice(0, MAX_EACH_OF_MANY);
    written += cut.length;
    headers.push(warningHeader(cut));
  }
  return headers;
}

/** RFC 7234 quoted text; anything that could break out of the header is dropped. */
const warningHeader = (message: string): string =>
  `299 - "${asBytes(message.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').replace(/[\\"]/g, '\\$&'))}"`;

/** Headers are written byte by byte; clients read UTF-8 in them. */
const asBytes = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
