import { describeStore } from '../store.contract.ts';
import { describeStoreModel } from '../model.contract.ts';
import { createStore } from './ephemeral-store.ts';
import type { StoreHarness } from '../support.contract.ts';

const harness = (): StoreHarness => ({
  open: (options) => Promise.resolve(createStore(options)),
  reopen: undefined,
  cleanUp: () => Promise.resolve(),
});

describeStore('memory', harness);
describeStoreModel('memory', harness, { runs: 150 });
