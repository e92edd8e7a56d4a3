/**
 * The walk with every kubectl at hand whose transcript is kept: an old one, a new one, one in between. With
 * `EVERYNODE_WALK=record` the transcripts are written instead (docs/kubectl-walk.md).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubectls, minorOf, type Kubectl } from '../../support/kubectl.ts';
import { chapters } from './chapters/all.ts';
import { startWalker, type Walker } from './driver.ts';
import { readTranscript, recordedVersions, writeTranscript } from './transcript.ts';

const isRecording = process.env['EVERYNODE_WALK'] === 'record';
const only = process.env['EVERYNODE_WALK_VERSION'];
/** A cluster to walk instead of one of our own. */
const elsewhere = process.env['EVERYNODE_WALK_KUBECONFIG'];
const folder = process.env['EVERYNODE_WALK_FOLDER'];

const wanted = only === undefined ? recordedVersions() : [only];
const walking = kubectls().filter(({ version }) => wanted.includes(version));

describe('the walk', () => {
  // Releases run beside each other, the chapters of one in their order.
  for (const kubectl of walking) {
    describe.concurrent(`with kubectl ${kubectl.version}`, () => {
      describe('is as it was', { concurrent: false }, () => {
        walkWith(kubectl);
      });
    });
  }
  for (const version of wanted.filter((one) => walking.every((kubectl) => kubectl.version !== one)))
    it(`with kubectl ${version}, which is not on this machine`, ({ skip }) => skip());
});

function walkWith(kubectl: Kubectl): void {
  const recorded = readTranscript(kubectl);
  const sections: string[] = [];
  let walker: Walker | undefined;
  beforeAll(async () => {
    walker = await startWalker(kubectl, elsewhere);
  });
  afterAll(async () => {
    await walker?.stop();
    if (isRecording) writeTranscript(kubectl, sections, folder);
  });
  for (const chapter of chapters) {
    it(`chapter: ${chapter.title}`, async ({ task }) => {
      // What a first try left behind would lead a second one astray.
      if ((task.result?.retryCount ?? 0) > 0) {
        await walker?.stop();
        walker = await startWalker(kubectl, elsewhere);
      }
      const section = (await walker?.walk(chapter, minorOf(kubectl))) ?? '';
      sections.push(section);
      if (!isRecording) expect(section).toBe(recorded.get(chapter.title));
    });
  }
}
