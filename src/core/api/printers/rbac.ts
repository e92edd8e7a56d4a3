import type { ClusterRoleBinding, RoleBinding } from '../types/rbac-v1.ts';
import { AGE, NAME, printer, text, wide } from './columns.ts';
import { age } from './text.ts';

const COLUMNS = [
  NAME,
  text('Role', 'Role that is granted'),
  AGE,
  wide('Users', 'Users it is granted to'),
  wide('Groups', 'Groups it is granted to'),
  wide('ServiceAccounts', 'Service accounts it is granted to'),
];

function subjects(binding: RoleBinding | ClusterRoleBinding, kind: string): string {
  return (binding.subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map((subject) => (kind === 'ServiceAccount' ? `${subject.namespace ?? ''}/${subject.name}` : subject.name))
    .join(', ');
}

export const bindingPrinter = printer<RoleBinding | ClusterRoleBinding>(COLUMNS, (object, now) => [
  object.metadata.name,
  `${object.roleRef?.kind ?? ''}/${object.roleRef?.name ?? ''}`,
  age(object, now),
  subjects(object, 'User'),
  subjects(object, 'Group'),
  subjects(object, 'ServiceAccount'),
]);
