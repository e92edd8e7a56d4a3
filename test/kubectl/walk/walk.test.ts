/** The walk with the oldest and the newest kubectl at hand and one in between, against its transcripts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chosenKubectls, type ChosenKubectl } from '../../support/kubectl.ts';
import { chapters } from './chapters/all.ts';
import { startWalker, type Walker } from './driver.ts';
import { readTranscript, writeTranscript } from './transcript.ts';

const isRecording = process.env['EVERYNODE_WALK'] === 'record';
/** Generations: before and after kubectl learned `create token` and `events`, sends protobuf, prints namespaces. */
const BETWEEN = ['1.27', '1.32'];
const wanted = process.env['EVERYNODE_WALK_VERSION'];
const walkers = chosenKubectls().filter(({ isEnd, version }) =>
  wanted === undefined ? isEnd || BETWEEN.includes(version) : version === wanted,
);

describe.skipIf(walkers.length === 0).concurrent('the walk', () => {
  for (const kubectl of walkers)
    describe(`with kubectl ${kubectl.version}`, { concurrent: false }, () => walkWith(kubectl));
});

function walkWith(kubectl: ChosenKubectl): void {
  const { minor } = kubectl;
  const recorded = readTranscript(minor);
  const sections: string[] = [];
  let walker: Walker | undefined;
  beforeAll(async () => {
    walker = await startWalker(kubectl);
  });
  afterAll(async () => {
    await walker?.stop();
    if (isRecording) writeTranscript(minor, sections);
  });
  for (const chapter of chapters) {
    it(`${chapter.title}`, async ({ task }) => {
      // What a first try left behind would lead a second one astray.
      if ((task.result?.retryCount ?? 0) > 0) {
        await walker?.stop();
        walker = await startWalker(kubectl);
      }
      const section = (await walker?.walk(chapter)) ?? '';
      sections.push(section);
      if (!isRecording) expect(section).toBe(recorded.get(chapter.title));
    });
  }
}
