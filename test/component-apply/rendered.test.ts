import { afterAll, beforeAll } from 'vitest';
import { describeExamples } from './example-suite.ts';
import { openSetting, type Setting } from './setting.ts';

let setting: Setting;
beforeAll(async () => {
  setting = await openSetting(2);
}, 60_000);
afterAll(() => setting.stop());

describeExamples('on an embedded cluster', () => setting.clients.inProcess);
