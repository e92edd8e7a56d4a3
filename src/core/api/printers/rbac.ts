import type { ClusterRoleBinding, RoleBinding } from '../types/rbac-v1.ts';
import { AGE, NAME, printer, text, wide } from './columns.ts';

function subjects(binding: RoleBinding | ClusterRoleBinding, kind: string): string {
  return (binding.subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map((subject) => (kind === 'ServiceAccount' ? `${subject.namespace ?? ''}/${subject.name}` : subject.name))
    .join(', ');
}

export const bindingPrinter = printer<RoleBinding | ClusterRoleBinding>([
  NAME,
  text('Role', 'Role that is granted', ({ roleRef }) => `${roleRef?.kind ?? ''}/${roleRef?.name ?? ''}`),
  AGE,
  wide('Users', 'Users it is granted to', (binding) => subjects(binding, 'User')),
  wide('Groups', 'Groups it is granted to', (binding) => subjects(binding, 'Group')),
  wide('ServiceAccounts', 'Service accounts it is granted to', (binding) => subjects(binding, 'ServiceAccount')),
]);
