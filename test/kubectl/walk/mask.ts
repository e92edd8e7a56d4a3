/**
 * Makes what two runs print alike: ages, times, identities, addresses and generated names become words in angle brackets,
 * tables are set anew around them, and rows whose order follows from a generated name are sorted.
 */

/** Letters and digits of generated names, as Kubernetes chooses them. */
const SAFE = '[bcdfghjklmnpqrstvwxz2456789]';
const AGE = String.raw`\d+[smhdy](?:\d+[smhd])?`;

const MASKS: readonly (readonly [RegExp, string])[] = [
  // Colours, which older releases print to pipes too.
  // oxlint-disable-next-line no-control-regex
  [/\u001b\[[\d;]*m/g, ''],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| ?[+-]\d{4}(?: \w+)?)/g, '<time>'],
  [/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<time>'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/\bLS0tLS1CRUdJTi[\w+/=]+/g, '<certificate>'],
  [/(resourceVersion"?: ?)"\d+"/g, '$1"<revision>"'],
  [/\bX509SHA256=[0-9a-f]{64}/g, 'X509SHA256=<digest>'],
  [/https:\/\/127\.0\.0\.1:\d+/g, '<server>'],
  [/\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g, '<ip>'],
  [/\/tmp\/(LIVE|MERGED)-\d+/g, '/tmp/$1'],
  [/(?<=(?:LIVE|MERGED)\S+)\t.*/g, ''],
  [new RegExp(String.raw`\b(kube-api-access)-${SAFE}{5}\b`, 'g'), '$1-<id>'],
  [new RegExp(String.raw`(?<=-)${SAFE}{18}\b`, 'g'), '<id>'],
  [new RegExp(String.raw`(?<=-${SAFE}{8,10}-)${SAFE}{5}\b`, 'g'), '<id>'],
  // Names of events.
  [/(?<=\.)[0-9a-f]{16}\b/g, '<id>'],
  [new RegExp(String.raw`(?<=\(x\d+ over )${AGE}`, 'g'), '<age>'],
  // Events, as `describe` lists them.
  [new RegExp(String.raw`^(  (?:Normal|Warning) +\S+ +)${AGE} +`), '$1<age>  '],
  [/^( {2}Type +Reason +Age) +/, '$1    '],
  [/^( {2}-{4} +-{6} +-{4}) +/, '$1   '],
  [/^[EW]\d{4} [\d:.]+ +\d+ (\S+?):\d+\]/gm, '$1]'],
];

/** Columns that tell how long ago something was. */
const AGES = new Set(['AGE', 'LAST SEEN', 'FIRST SEEN', 'DURATION', 'LAST SCHEDULE']);
const HEADER = /^[A-Z][A-Z0-9()_-]*(?: [A-Z0-9()_-]+)*(?: {2,}[A-Z0-9()_-]+(?: [A-Z0-9()_-]+)*)* *$/;

/** What ends a table: a gap, or a word of complaint. */
const AFTER = /^(?:$|error: |Error from server |Warning: )/;

const maskText = (text: string): string => MASKS.reduce((masked, [what, word]) => masked.replace(what, word), text);

/** What kubectl says of itself when asked for more words, or when it was slow. */
const ASIDE = /^I\d{4} [\d:.]+ /;

export function mask(output: string): string {
  const lines = output.split('\n').filter((line) => !ASIDE.test(line));
  const out: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? '';
    if (!HEADER.test(line)) {
      out.push(maskText(line).trimEnd());
      continue;
    }
    let end = i + 1;
    while (end < lines.length && !AFTER.test(lines[end] ?? '')) end++;
    out.push(...maskTable(line, lines.slice(i + 1, end)));
    i = end - 1;
  }
  return out.join('\n');
}

function maskTable(header: string, rows: readonly string[]): readonly string[] {
  const columns = [...header.matchAll(/\S+(?: \S+)*/g)].map(({ 0: name, index }) => ({ name, start: index }));
  const cells = rows.map((row) =>
    columns.map(({ name, start }, i) => {
      const cell = row.slice(start, columns[i + 1]?.start ?? row.length).trim();
      const masked = maskText(cell);
      return AGES.has(name) ? masked.replace(new RegExp(`^${AGE}(?= |$)`), '<age>') : masked;
    }),
  );
  const table = [columns.map(({ name }) => name), ...cells];
  const widths = columns.map((_, i) => Math.max(...table.map((row) => row[i]?.length ?? 0)));
  const set = table.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('   ')
      .trimEnd(),
  );
  const [head = '', ...body] = set;
  return [head, ...(body.some((row) => row.includes('<id>')) ? body.sort() : body)];
}
