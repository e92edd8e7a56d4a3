/** For kinds with nothing of their own to show. */
import type { KubeObject } from '../../kube/objects.ts';
import { AGE, date, DATE_AGE, NAME, printer } from './columns.ts';

/** Name and age, as a custom resource without columns of its own. */
export const customResourcePrinter = printer<KubeObject>([NAME, DATE_AGE]);

export const nameAndAgePrinter = printer<KubeObject>([NAME, AGE]);

/** Name and moment of creation, for the few built-in kinds that Kubernetes gives no age. */
export const createdAtPrinter = printer<KubeObject>([
  NAME,
  date(
    'Created At',
    'Moment the object was created',
    ({ metadata }) => metadata.creationTimestamp ?? '0001-01-01T00:00:00Z',
  ),
]);
