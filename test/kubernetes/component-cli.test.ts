/** The commands for components, as processes, on a real Kubernetes with its own controllers and scheduler. */
import { afterAll, beforeAll, describe } from 'vitest';
import { describeComponentCli } from '../cli/component-suite.ts';
import { startOperatedPlane, type OperatedPlane } from './support/operated-plane.ts';
import { missingPrograms } from './support/programs.ts';

const NODES = 4;

describe.skipIf(missingPrograms().length > 0)('the command line on a kube-apiserver', () => {
  let plane: OperatedPlane;
  beforeAll(async () => {
    plane = await startOperatedPlane('kubernetes', NODES);
  });
  afterAll(() => plane?.stop());

  describeComponentCli('with Kubernetes itself', () => ({ kubeconfig: plane.admin, client: plane.client }));
});
