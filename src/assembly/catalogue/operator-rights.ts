/**
 * All rights of the operator on a cluster, and why: the one source of its roles. The Helm chart, the plain manifests and the page
 * for people are made from them, and a test takes away each verb by itself and looks for the request that then fails.
 */
import { CATALOGUE } from './catalogue.ts';
import type { Catalogue } from './entry.ts';
import { BASE_RIGHTS, type OperatorRights } from './rights.ts';

/** Rights of the base and of every controller that the operator can run. An operator of fewer controllers needs fewer features. */
export const operatorRights = (catalogue: Catalogue = CATALOGUE): readonly OperatorRights[] => [
  ...BASE_RIGHTS,
  ...catalogue.flatMap(({ name, profiles, rights = [] }) =>
    profiles.operator === undefined ? [] : rights.map((each) => ({ feature: name, ...each })),
  ),
];

export const OPERATOR_RIGHTS: readonly OperatorRights[] = operatorRights();
