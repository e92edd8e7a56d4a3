/** A transcript is Markdown: a section a chapter, a block a step. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import type { Chapter, Step } from './walk.ts';

const FOLDER = fileURLToPath(new URL('transcripts', import.meta.url));

export interface Taken {
  readonly step: Step;
  readonly output: string;
  readonly code: number;
}

const blockOf = ({ step, output, code }: Taken): string => {
  const lines = [`$ ${step.run}`, ...(output === '' ? [] : [output]), ...(code === 0 ? [] : [`[exit ${code}]`])];
  return `${step.say === undefined ? '' : `${step.say}\n\n`}\`\`\`\`console\n${lines.join('\n')}\n\`\`\`\``;
};

export const sectionOf = (chapter: Chapter, taken: readonly Taken[]): string =>
  [`## ${chapter.title}`, chapter.about, ...taken.map(blockOf)].join('\n\n');

/** Releases that have a transcript, oldest first. Releases in between print what the one before them does. */
export const recordedMinors = (): readonly number[] =>
  (existsSync(FOLDER) ? readdirSync(FOLDER) : [])
    .flatMap((name) => /^kubectl-1\.(\d+)\.md$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);

export const transcriptOf = (minor: number): string => join(FOLDER, `kubectl-1.${minor}.md`);

/** The sections of the transcript that holds for a release, by title. */
export function readTranscript(minor: number): ReadonlyMap<string, string> {
  const known = recordedMinors();
  const recorded = known.findLast((one) => one <= minor) ?? known[0];
  if (recorded === undefined) return new Map();
  const sections = readFileSync(transcriptOf(recorded), 'utf8')
    .trimEnd()
    .split(/\n\n(?=## )/)
    .slice(1);
  return new Map(sections.map((section) => [/^## (.*)$/m.exec(section)?.[1] ?? '', section]));
}

export function writeTranscript(minor: number, sections: readonly string[]): void {
  const head = `# A walk with kubectl 1.${minor}\n\nRecorded; see [kubectl-walk.md](../../../../docs/kubectl-walk.md).`;
  writeFileSync(transcriptOf(minor), `${[head, ...sections].join('\n\n')}\n`);
}
