/** The catalogues of the product with one more row each. */
import { ADMISSION_CATALOGUE, type AdmissionCatalogue } from '../../../../src/assembly/catalogue/admission.ts';
import { CATALOGUE } from '../../../../src/assembly/catalogue/catalogue.ts';
import type { Catalogue } from '../../../../src/assembly/catalogue/entry.ts';
import { core, FOLLOW } from '../../../../src/assembly/catalogue/rights.ts';
import { forbiddenRequest } from '../../../../src/core/kube/status-error.ts';
import { createGreeter } from './greeter.ts';

export const WITH_GREETER: Catalogue = [
  ...CATALOGUE,
  {
    name: 'greeter',
    aliases: ['node-greeter'],
    about: 'greets nodes with a label',
    rights: [{ why: 'Labels nodes', scope: 'cluster', rules: [core(['nodes'], FOLLOW), core(['nodes'], ['patch'])] }],
    profiles: {
      embedded: { runs: 'default', create: createGreeter },
      operator: { runs: 'named', create: createGreeter },
      simulated: { runs: 'named', create: createGreeter },
    },
  },
];

export const WITH_GUARD: AdmissionCatalogue = [
  ...ADMISSION_CATALOGUE,
  {
    name: 'name-guard',
    phase: 'validate',
    create: () => ({
      name: 'name-guard',
      handles: ({ operation, resource }) => operation === 'CREATE' && resource.resource === 'configmaps',
      validate: ({ resource, name }) =>
        name === 'rude'
          ? { allowed: false, error: forbiddenRequest(resource, name, 'the name is rude') }
          : { allowed: true },
    }),
    webhook: {
      name: 'name-guard.everynode.dev',
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
      failurePolicy: 'Fail',
      timeoutSeconds: 5,
    },
  },
];
