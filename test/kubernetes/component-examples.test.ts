/** The examples on a real Kubernetes, with its own controllers and scheduler over simulated nodes. */
import { afterAll, beforeAll, describe } from 'vitest';
import { describeExamples } from '../component-apply/example-suite.ts';
import { startOperatedPlane, type OperatedPlane } from './support/operated-plane.ts';
import { missingPrograms } from './support/programs.ts';

describe.skipIf(missingPrograms().length > 0)('on a kube-apiserver', () => {
  let plane: OperatedPlane;
  beforeAll(async () => {
    plane = await startOperatedPlane('kubernetes', 2);
  });
  afterAll(() => plane?.stop());

  describeExamples('with Kubernetes itself', () => plane.client);
});
