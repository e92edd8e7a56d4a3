/** The 409 that names whose fields an application would have changed. */
import { goQuote } from '../../kube/go-text.ts';
import { StatusError } from '../../kube/status-error.ts';
import type { Conflict } from './apply.ts';
import { describePath } from './field-set.ts';
import { type ManagedEntry, managerIdentifier } from './managed.ts';

export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const causes = conflicts.map(({ owner, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${describeOwner(owner)}`,
    field: describePath(path),
  }));
  return new StatusError(409, 'Conflict', conflictMessage(conflicts), { causes });
}

function conflictMessage(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (conflicts.length === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${describeOwner(first.owner)}: ${describePath(first.path)}`;
  }
  const lines: string[] = [];
  let before = '';
  for (const { owner, path } of conflicts) {
    const identifier = managerIdentifier(owner);
    if (identifier !== before) lines.push(`conflicts with ${describeOwner(owner)}:`);
    before = identifier;
    lines.push(`- ${describePath(path)}`);
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function describeOwner({ apiVersion, manager, operation, subresource }: ManagedEntry): string {
  const name = goQuote(manager) + (subresource === '' ? '' : ` with subresource ${goQuote(subresource)}`);
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
