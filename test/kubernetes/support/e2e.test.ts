import { describe, expect, it } from 'vitest';
import { readReport } from './e2e.ts';

const REPORT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4"><testsuite name="Kubernetes e2e suite">
<testcase name="[SynchronizedBeforeSuite]" classname="x" status="passed" time="0.1"></testcase>
<testcase name="[It] [sig-apps] a &lt;b&gt; &#34;c&#34;" classname="x" status="passed" time="1.26"><system-err>log</system-err></testcase>
<testcase name="[It] not chosen" classname="x" status="skipped" time="0"><skipped message="skipped"></skipped></testcase>
<testcase name="[It] worse" classname="x" status="timedout" time="300.04"><failure message="it took&#xA;too long" type="timedout">where</failure></testcase>
<testcase name="[It] not chosen either" status="skipped" time="0"/>
</testsuite></testsuites>`;

describe('the report of the end-to-end tests', () => {
  it('tells of the cases that were run', () => {
    expect(readReport(REPORT)).toEqual([
      { name: '[sig-apps] a <b> "c"', outcome: 'passed', seconds: 1.3, reason: '' },
      { name: 'worse', outcome: 'failed', seconds: 300, reason: 'it took\ntoo long' },
    ]);
  });
});
