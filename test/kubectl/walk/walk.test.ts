/**
 * The walk with every release of kubectl whose transcript is kept: an old one, a new one, one in between. With
 * `EVERYNODE_WALK=record` the transcripts are written instead (docs/kubectl-walk.md).
 */
import { afterAll, describe, expect, it } from 'vitest';
import { kubectls, type Kubectl } from '../../support/kubectl.ts';
import { isOnPurpose, NO_KUBECTL } from '../../support/no-kubectl.ts';
import { chapters } from './chapters/all.ts';
import { walk } from './driver.ts';
import { readTranscript, recordedVersions, writeTranscript } from './transcript.ts';

const isRecording = process.env['EVERYNODE_WALK'] === 'record';
const only = process.env['EVERYNODE_WALK_VERSION'];
/** A cluster to walk instead of our own; chapters share it, so they take turns. */
const elsewhere = process.env['EVERYNODE_WALK_KUBECONFIG'];
const folder = process.env['EVERYNODE_WALK_FOLDER'];

const wanted = only === undefined ? recordedVersions() : [only];
const walking = kubectls().filter(({ version }) => wanted.includes(version));
const missing = wanted.filter((version) => walking.every((kubectl) => kubectl.version !== version));

describe('the walk', { concurrent: elsewhere === undefined }, () => {
  for (const kubectl of walking) walkWith(kubectl);
});

describe.runIf(missing.length > 0)('a release that is not on this machine', () => {
  for (const version of missing) {
    const complaint = `the walk with kubectl ${version} did not take place: ${NO_KUBECTL}`;
    it(`kubectl ${version}`, ({ skip }) => {
      process.stderr.write(`\nWARNING: ${complaint}\n\n`);
      if (isOnPurpose()) throw new Error(complaint);
      skip(complaint);
    });
  }
});

function walkWith(kubectl: Kubectl): void {
  const recorded = readTranscript(kubectl);
  const sections = new Map<string, string>();
  describe(`with kubectl ${kubectl.version}`, () => {
    afterAll(() => {
      if (!isRecording) return;
      // Chapters that were not walked this time stay as they are.
      const whole = chapters.flatMap(({ title }) => sections.get(title) ?? recorded.get(title) ?? []);
      writeTranscript(kubectl, whole, folder);
    });
    for (const chapter of chapters) {
      it(`chapter: ${chapter.title}`, async () => {
        const section = await walk(chapter, kubectl, elsewhere);
        sections.set(chapter.title, section);
        if (!isRecording) expect(section).toBe(recorded.get(chapter.title));
      });
    }
    it.skipIf(isRecording || recorded.size === 0)('has a chapter for every section of the transcript', () => {
      expect([...recorded.keys()]).toEqual(chapters.map(({ title }) => title));
    });
  });
}
