/** RBAC rules without a service account to give them to, which compatible mode leaves out. */
import { defineLint } from '../contract/lint.ts';

export const rightsIgnored = defineLint({
  name: 'rights-ignored',
  level: 'warning',
  why: 'Rights are only given to a service account that is made, too',
  *check({ component, rendered }) {
    const { rbac, createServiceAccount } = component.spec;
    if (rbac === undefined || rendered.identity.mode !== 'compatible' || createServiceAccount === true) return;
    yield { path: ['spec', 'rbac'], message: 'no rights are given', suggestion: 'createServiceAccount: true' };
  },
});
