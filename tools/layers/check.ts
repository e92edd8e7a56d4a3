/**
 * The layer check: every import under src/ goes downward, the pure rooms do no I/O, and time and chance are ambient
 * only in machinery/. `npm run layers [-- DIR]`; exits 1 with one line a finding and always says how many files it saw,
 * because a check that silently sees nothing is worse than none.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AMBIENT, AMBIENT_ROOM, PURE_ROOMS, ROOMS } from './rooms.ts';

export interface LayerReport {
  readonly files: number;
  readonly imports: number;
  readonly findings: readonly string[];
}

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)(['"])([^'"]+)\1/g;

export function checkLayers(source: string): LayerReport {
  const findings: string[] = [];
  let imports = 0;
  const files = globSync('**/*.ts', { cwd: source }).sort();
  for (const file of files) {
    const text = stripComments(readFileSync(join(source, file), 'utf8'));
    const isTest = /\.(test|contract)\.ts$/.test(file) || /\/(testing|testdata|golden)\//.test(file);
    const own = roomOf(file);
    if (own === undefined) {
      findings.push(`${file}: stands in no room; add the room to tools/layers/rooms.ts or move the file`);
      continue;
    }
    for (const match of text.matchAll(IMPORT)) {
      imports += 1;
      const finding = judge(source, file, own, match[2] ?? '', isTest);
      if (finding !== undefined) findings.push(`${file}: ${finding}`);
    }
    if (!isTest && own.path !== AMBIENT_ROOM) {
      for (const pattern of AMBIENT) {
        const found = pattern.exec(text);
        if (found)
          findings.push(`${file}: reads ambient time or chance (${found[0].trim()}); take Clock or Random instead`);
      }
    }
  }
  return { files: files.length, imports, findings };
}

type Room = (typeof ROOMS)[number];

const roomOf = (file: string): Room | undefined =>
  ROOMS.filter((room) => file.startsWith(`${room.path}/`)).sort((a, b) => b.path.length - a.path.length)[0];

function judge(source: string, file: string, own: Room, specifier: string, isTest: boolean): string | undefined {
  if (!specifier.startsWith('.')) {
    const isIo = specifier.startsWith('node:');
    return isIo && own.path.startsWith(PURE_ROOMS) && !isTest ? `a pure room may not import ${specifier}` : undefined;
  }
  const target = relative(source, resolve(source, dirname(file), specifier));
  if (target.startsWith('..')) return isTest ? undefined : `imports ${specifier}, which stands outside src/`;
  const other = roomOf(target);
  if (other === undefined) return `imports ${target}, which stands in no room`;
  if (other === own) return undefined;
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
