/** The rules of names that metadata leans on. */
const LABEL_FORMAT = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN_FORMAT = `${LABEL_FORMAT}(\\.${LABEL_FORMAT})*`;
const KEY_FORMAT = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const DNS_LABEL = new RegExp(`^${LABEL_FORMAT}$`);
const DNS_SUBDOMAIN = new RegExp(`^${SUBDOMAIN_FORMAT}$`);
const KEY_NAME = new RegExp(`^${KEY_FORMAT}$`);
const OK: readonly string[] = [];

const tooLongText = (length: number): string => `must be no more than ${length} bytes`;
const regexText = (text: string, format: string, ...examples: string[]): string =>
  `${text} (e.g. ${examples.map((e) => `'${e}', `).join(' or ')}regex used for validation is '${format}')`;

export function isDNS1123Label(value: string): readonly string[] {
  const matches = DNS_LABEL.test(value);
  if (matches && value.length <= 63) return OK;
  const texts: string[] = [];
  if (Buffer.byteLength(value) > 63) texts.push(tooLongText(63));
  if (matches) return texts;
  if (DNS_SUBDOMAIN.test(value)) texts.push('must not contain dots');
  else {
    texts.push(
      regexText(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
        LABEL_FORMAT,
        'my-name',
        '123-abc',
      ),
    );
  }
  return texts;
}

export function isDNS1123Subdomain(value: string): readonly string[] {
  const matches = DNS_SUBDOMAIN.test(value);
  if (matches && value.length <= 253) return OK;
  const texts: string[] = [];
  if (Buffer.byteLength(value) > 253) texts.push(tooLongText(253));
  if (!matches) {
    texts.push(
      regexText(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        SUBDOMAIN_FORMAT,
        'example.com',
      ),
    );
  }
  return texts;
}

const KEY_TEXT = regexText(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  KEY_FORMAT,
  'MyName',
  'my.name',
  '123-abc',
);

export function isQualifiedName(value: string): readonly string[] {
  const slash = value.indexOf('/');
  const texts: string[] = [];
  let name = value;
  if (slash >= 0) {
    if (value.indexOf('/', slash + 1) >= 0) {
      return [
        `a valid label key ${KEY_TEXT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      ];
    }
    const prefix = value.slice(0, slash);
    name = value.slice(slash + 1);
    if (prefix === '') texts.push('prefix part must be non-empty');
    else for (const text of isDNS1123Subdomain(prefix)) texts.push(`prefix part ${text}`);
  }
  if (name === '') texts.push('name part must be non-empty');
  else if (Buffer.byteLength(name) > 63) texts.push(`name part ${tooLongText(63)}`);
  if (!KEY_NAME.test(name)) texts.push(`name part ${KEY_TEXT}`);
  return texts.length === 0 ? OK : texts;
}

export function isLabelValue(value: string): readonly string[] {
  const matches = value === '' || KEY_NAME.test(value);
  if (matches && value.length <= 63) return OK;
  const texts: string[] = [];
  if (Buffer.byteLength(value) > 63) texts.push(tooLongText(63));
  if (!matches) {
    texts.push(
      regexText(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        `(${KEY_FORMAT})?`,
        'MyValue',
        'my_value',
        '12345',
      ),
    );
  }
  return texts;
}
