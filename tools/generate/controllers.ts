/** Texts about controllers that are made from the catalogue: help of `--controllers` and the tables in docs/. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CATALOGUE } from '../../src/assembly/catalogue/catalogue.ts';
import type { Catalogue, ControllerRow, Profile } from '../../src/assembly/catalogue/entry.ts';
import { placesIn } from '../../src/assembly/catalogue/select.ts';

const HELP = 'src/cli/controllers-help.ts';
const OPERATOR_PAGE = 'docs/operator.md';
const HOUSE_KEEPING_PAGE = 'docs/housekeeping.md';

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

const isByDefault = (row: ControllerRow, profile: Profile): boolean => row.profiles[profile]?.runs === 'default';

const programOf = ({ insteadOf }: ControllerRow): string | undefined => insteadOf?.program ?? insteadOf?.lease;

/** Lines of a help text, one a controller that `--controllers` of the profile can name. */
export function controllersHelp(profile: 'embedded' | 'operator', catalogue: Catalogue = CATALOGUE): string {
  const rows = placesIn(profile, catalogue).filter(({ place }) => place.runs !== 'always');
  const width = Math.max(...rows.map(({ row }) => row.name.length));
  const lines = rows.map(({ row, place }) => {
    const program = profile === 'operator' ? programOf(row) : undefined;
    const instead = program === undefined ? '' : `, in place of ${program}`;
    const only = place.runs === 'default' ? '' : ' (only when named)';
    return `  ${row.name.padEnd(width)}  ${row.about}${instead}${only}`;
  });
  return `\nControllers:\n${lines.join('\n')}`;
}

const helpFile = (catalogue: Catalogue = CATALOGUE): string => `/**
 * Help of \`--controllers\`, apart from the catalogue so that printing help loads no controller. Written by \`npm run generate\`; do
 * not edit.
 */
export const UP_CONTROLLERS_HELP = ${literal(controllersHelp('embedded', catalogue))};

export const OPERATOR_CONTROLLERS_HELP = ${literal(controllersHelp('operator', catalogue))};
`;

const literal = (text: string): string => `\`${text.replaceAll(/[\\`]|\$\{/g, '\\$&')}\``;

const code = (name: string): string => `\`${name}\``;

/** Table of docs/operator.md. */
export function operatorTable(catalogue: Catalogue = CATALOGUE): string {
  const rows = placesIn('operator', catalogue).map(
    ({ row }) =>
      `| ${code(row.name)} | ${row.about} | ${isByDefault(row, 'operator') ? 'yes' : 'no'} | ${programOf(row) ?? ''} |`,
  );
  return ['| controller | what it does | on by default | in place of |', '|---|---|---|---|', ...rows].join('\n');
}

/** Table of docs/housekeeping.md: everything that an embedded cluster runs. */
export function embeddedTable(catalogue: Catalogue = CATALOGUE): string {
  const rows = placesIn('embedded', catalogue).map(({ row, place }) => {
    const names = place.runs === 'always' ? 'always on' : row.aliases.map(code).join(', ');
    return `| ${code(row.name)} | ${names} | ${row.about} |`;
  });
  return ['| controller | also called | what it does |', '|---|---|---|', ...rows].join('\n');
}

const BEGIN = '<!-- Controllers: written by npm run generate; do not edit. -->';
const END = '<!-- End of controllers. -->';

/** The page with another text between the markers. */
export function between(page: string, text: string): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from === -1 || to < from) throw new Error(`the page has no "${BEGIN}" with "${END}" after it`);
  return `${page.slice(0, from + BEGIN.length)}\n${text}\n${page.slice(to)}`;
}

/** Files by path from the root. */
export const generateControllers = (catalogue: Catalogue = CATALOGUE): ReadonlyMap<string, string> =>
  new Map([
    [HELP, helpFile(catalogue)],
    [OPERATOR_PAGE, between(read(OPERATOR_PAGE), operatorTable(catalogue))],
    [HOUSE_KEEPING_PAGE, between(read(HOUSE_KEEPING_PAGE), embeddedTable(catalogue))],
  ]);
