import { describe, expect, it } from 'vitest';
import { namesIn, readReport } from './e2e.ts';

const REPORT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4"><testsuite name="Kubernetes e2e suite">
<testcase name="[SynchronizedBeforeSuite]" classname="x" status="passed" time="0.1"></testcase>
<testcase name="[It] [sig-apps] a &lt;b&gt; &#34;c&#34;" classname="x" status="passed" time="1.26"><system-err>log</system-err></testcase>
<testcase name="[It] not chosen" classname="x" status="skipped" time="0"><skipped message="skipped"></skipped></testcase>
<testcase name="[It] would not" classname="x" status="skipped" time="0.1"><skipped message="skipped - no cloud"></skipped></testcase>
<testcase name="[It] worse" classname="x" status="timedout" time="300.04"><failure message="it took&#xA;too long" type="timedout">where</failure></testcase>
<testcase name="[It] bad" status="failed" time="2"><failure message="" type="failed">[FAILED] not equal&#xA;In [It] at: /a/b.go:1 @ 11/16/26&#xA;</failure><system-err>x</system-err></testcase>
<testcase name="[It] not chosen either" status="skipped" time="0"/>
</testsuite></testsuites>`;

describe('the end-to-end tests', () => {
  it('report the cases that were run, and those that would not', () => {
    expect(readReport(REPORT)).toEqual([
      { name: '[sig-apps] a <b> "c"', outcome: 'passed', seconds: 1.3, reason: '' },
      { name: 'would not', outcome: 'skipped', seconds: 0.1, reason: 'no cloud' },
      { name: 'worse', outcome: 'failed', seconds: 300, reason: 'it took\ntoo long' },
      { name: 'bad', outcome: 'failed', seconds: 2, reason: 'not equal' },
    ]);
  });

  it('list their names', () => {
    const listing = 'Use these:\n    ../a/watch.go:258: [sig-a] one: two\n    b.go:1: [sig-b] three\nDone.\n';
    expect(namesIn(listing)).toEqual(['[sig-a] one: two', '[sig-b] three']);
  });
});
