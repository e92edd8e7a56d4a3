/**
 * Where kinds get what is particular about them. Three tables, keyed `resource` for the core group and
 * `group/resource` elsewhere (`pods`, `apps/daemonsets`); a kind without a line has the generic behaviour.
 */
import type { KubeObject } from '../../kube/objects.ts';
import type { KindDefinition, KindStrategy, TablePrinter } from '../kind-definition.ts';

export type SelectableFields<T extends KubeObject = KubeObject> = KindDefinition<T>['selectableFields'];

export const STRATEGIES: ReadonlyMap<string, KindStrategy> = new Map<string, KindStrategy>([
  // ['pods', podStrategy],
]);

export const PRINTERS: ReadonlyMap<string, TablePrinter> = new Map<string, TablePrinter>([
  // ['pods', podPrinter],
]);

/** Readers of selectable fields are written for their own kind; the registry pairs them with it again. */
const fields = <T extends KubeObject>(readers: SelectableFields<T>): SelectableFields =>
  readers as unknown as SelectableFields;

export const SELECTABLE_FIELDS: ReadonlyMap<string, SelectableFields> = new Map<string, SelectableFields>([
  // ['pods', fields(POD_SELECTABLE_FIELDS)],
]);

void fields;
