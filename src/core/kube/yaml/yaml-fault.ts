/**
 * Errors of the YAML library in words that repeat nothing of the text: the offending word may be a password that begins with `!`, `|`
 * or `>`.
 */
import type { YAMLError } from 'yaml';

const IN_QUOTES = 'put it in quotes';

const OWN_WORDS: { readonly [code in YAMLError['code']]?: string } = {
  BAD_ALIAS: `refers (*) to an anchor that is not there; if it is a text, ${IN_QUOTES}`,
  BAD_COLLECTION_TYPE: 'has a tag (!) that does not fit',
  BAD_DIRECTIVE: 'has a directive (%) that YAML does not know',
  BAD_DQ_ESCAPE: 'has an escape sequence that YAML does not know; a backslash in double quotes is written twice',
  DUPLICATE_KEY: 'has a key twice',
  TAG_RESOLVE_FAILED: `has a tag (!) that YAML does not know; if it is a text, ${IN_QUOTES}`,
};

export function yamlFault({ code, message }: Pick<YAMLError, 'code' | 'message'>): string {
  const own = OWN_WORDS[code];
  if (own !== undefined) return own;
  // In messages of the library the part after a colon quotes the text.
  const [said = ''] = message.split(/: |\n/, 1);
  return said.startsWith('Block scalar header') ? `${said}; if it is a text, ${IN_QUOTES}` : said;
}
