/** A transcript is Markdown: a section a chapter, a block a step. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import type { Kubectl } from '../../support/kubectl.ts';
import type { Chapter, Step } from './walk.ts';

const FOLDER = fileURLToPath(new URL('transcripts', import.meta.url));

export interface Taken {
  readonly step: Step;
  readonly output: string;
  readonly code: number;
}

const blockOf = ({ step, output, code }: Taken): string => {
  const lines = [
    `$ ${step.run}`,
    ...(step.meanwhile === undefined ? [] : [`(meanwhile) $ ${step.meanwhile.run}`]),
    ...(output === '' ? [] : [output]),
    ...(step.interruptedAt === undefined ? (code === 0 ? [] : [`[exit ${code}]`]) : ['^C']),
  ];
  return `${step.say === undefined ? '' : `${step.say}\n\n`}\`\`\`\`console\n${lines.join('\n')}\n\`\`\`\``;
};

export const sectionOf = (chapter: Chapter, taken: readonly Taken[]): string =>
  [`## ${chapter.title}`, chapter.about, ...taken.map(blockOf)].join('\n\n');

const fileOf = ({ version }: Kubectl, folder: string): string => join(folder, `kubectl-${version}.md`);

/** Releases that have a transcript: `1.36`. */
export const recordedVersions = (): readonly string[] =>
  readdirSync(FOLDER).flatMap((name) => /^kubectl-(.+)\.md$/.exec(name)?.[1] ?? []);

/** The sections of a release's transcript, by title. */
export function readTranscript(kubectl: Kubectl): ReadonlyMap<string, string> {
  const file = fileOf(kubectl, FOLDER);
  if (!existsSync(file)) return new Map();
  const [, ...sections] = readFileSync(file, 'utf8')
    .trimEnd()
    .split(/\n\n(?=## )/);
  return new Map(sections.map((section) => [/^## (.*)$/m.exec(section)?.[1] ?? '', section]));
}

export function writeTranscript(kubectl: Kubectl, sections: readonly string[], folder = FOLDER): void {
  const head = `# A walk with kubectl ${kubectl.version}\n\nRecorded; see [kubectl-walk.md](../../../../docs/kubectl-walk.md).`;
  writeFileSync(fileOf(kubectl, folder), `${[head, ...sections].join('\n\n')}\n`);
}
