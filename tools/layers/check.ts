/**
 * The layer check: every import under src/ goes downward, folders of one room import each other in one direction, the pure
 * rooms do no I/O, and time and chance are ambient only in machinery/. `npm run layers [-- DIR]`; exits 1 with one line a finding and always says how many files it saw,
 * because a check that silently sees nothing is worse than none.
 */
import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folderFindings, type InnerImport } from './folders.ts';
import { AMBIENT, AMBIENT_ROOM, PURE_PACKAGES, PURE_ROOMS, ROOMS } from './rooms.ts';

export interface LayerReport {
  readonly files: number;
  readonly imports: number;
  readonly findings: readonly string[];
}

/** Every way to reach another module by a name that is spelt out; its second group is the name. */
const IMPORTS: readonly RegExp[] = [
  /(?:^|[;{}])\s*(?:import|export)\b[^;'"`]*?\bfrom\s*(['"`])([^'"`]+)\1/gm,
  /(?:^|[;{}])\s*import\s*(['"`])([^'"`]+)\1/gm,
  /\bimport\s*\(\s*(['"`])([^'"`]+)\1\s*[,)]/g,
  /\bimport\.meta\.resolve\s*\(\s*(['"`])([^'"`]+)\1/g,
  /\bnew URL\s*\(\s*(['"`])(\.{1,2}\/[^'"`]+\.[cm]?[jt]sx?)\1\s*,\s*import\.meta\.url/g,
];
/** Ways to reach a module by a name that is not in the source; none of them is permitted. */
const HIDDEN: readonly (readonly [RegExp, string])[] = [
  [/\bimport\s*\(\s*(?:[^'"`\s]|(['"`])[^'"`]*\1\s*[^\s,)]|`[^`]*\$\{)/, 'imports by a name that is not spelt out'],
  [/\brequire\s*\(|\bcreateRequire\b/, 'requires; use import'],
];

export function checkLayers(source: string): LayerReport {
  const findings: string[] = [];
  let imports = 0;
  const sources: string[] = [];
  const inner: InnerImport[] = [];
  const files = globSync('**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}', { cwd: source }).sort();
  for (const file of files) {
    const text = stripComments(readFileSync(join(source, file), 'utf8'));
    const isTest = /\.(test|contract)\.ts$/.test(file) || /\/(testing|testdata|golden)\//.test(file);
    if (!isTest) sources.push(file);
    const own = roomOf(file);
    if (own === undefined) {
      findings.push(`${file}: stands in no room; add the room to tools/layers/rooms.ts or move the file`);
      continue;
    }
    if (!file.endsWith('.ts')) findings.push(`${file}: is not a .ts file`);
    for (const pattern of IMPORTS) {
      for (const match of text.matchAll(pattern)) {
        imports += 1;
        const specifier = match[2] ?? '';
        const finding = judge(source, file, own, specifier, isTest);
        if (finding !== undefined) findings.push(`${file}: ${finding}`);
        const target = targetOf(source, file, specifier);
        if (!isTest && target !== undefined && roomOf(target)?.path === own.path)
          inner.push({ from: file, to: target });
      }
    }
    if (isTest) continue;
    for (const [pattern, what] of HIDDEN) if (pattern.test(text)) findings.push(`${file}: ${what}`);
    if (own.path === AMBIENT_ROOM) continue;
    for (const pattern of AMBIENT) {
      const found = pattern.exec(text);
      if (found)
        findings.push(`${file}: reads ambient time or chance (${found[0].trim()}); take Clock or Random instead`);
    }
  }
  findings.push(...folderFindings(sources, inner));
  return { files: files.length, imports, findings };
}

type Room = (typeof ROOMS)[number];

/** The room a file stands in; of `control/*` the folder's own name is the room. */
function roomOf(file: string): Room | undefined {
  for (const { path, layer } of ROOMS) {
    const own = path.endsWith('/*') ? (new RegExp(`^${path.slice(0, -1)}[^/]+(?=/)`).exec(file)?.[0] ?? '') : path;
    if (own !== '' && file.startsWith(`${own}/`)) return { path: own, layer };
  }
  return undefined;
}

/** The file that a relative import names, from the folder that is checked; undefined for packages. */
const targetOf = (source: string, file: string, specifier: string): string | undefined =>
  specifier.startsWith('.') ? relative(source, resolve(source, dirname(file), specifier)) : undefined;

function judge(source: string, file: string, own: Room, specifier: string, isTest: boolean): string | undefined {
  if (!specifier.startsWith('.')) {
    if (/^#|^\/|^file:|^everynode(?:\/|$)/.test(specifier))
      return `imports ${specifier}; name modules of the house by path`;
    if (isTest) return undefined;
    if (isBuiltin(specifier) && !specifier.startsWith('node:')) return `imports ${specifier} without its node: prefix`;
    const isAllowed = !own.path.startsWith(PURE_ROOMS) || PURE_PACKAGES.has(specifier);
    return isAllowed ? undefined : `a pure room may not import ${specifier}`;
  }
  const target = targetOf(source, file, specifier) ?? '..';
  if (target.startsWith('..')) return isTest ? undefined : `imports ${specifier}, which stands outside src/`;
  const other = roomOf(target);
  if (other === undefined) return `imports ${target}, which stands in no room`;
  if (other.path === own.path) return undefined;
  if (other.layer < own.layer) return undefined;
  return `${own.path} (layer ${own.layer}) may not import ${other.path} (layer ${other.layer}): ${target}`;
}

/** Blanks comments, so that a word in prose is no finding. Strings stay: imports are strings. */
function stripComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/[^\n]*/g, '');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const source = resolve(process.argv[2] ?? 'src');
  const report = checkLayers(source);
  for (const finding of report.findings) console.error(finding);
  console.log(`layers: ${report.files} files, ${report.imports} imports, ${report.findings.length} findings`);
  if (report.findings.length > 0 || report.files === 0) process.exitCode = 1;
}
