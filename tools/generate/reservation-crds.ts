/** Parts of the definitions of Orders, Tickets and Quotas that the facts do not have: bounds, paths of columns, subresources, rules. */
import type { PrinterColumn } from '../../src/core/api/kind/kind-definition.ts';
import {
  type FieldBounds,
  LONGEST_NAME,
  RESERVATION_BOUNDS,
} from '../../src/core/api/kinds/reservation/schema-bounds.ts';
import { orderPrinter, quotaPrinter, ticketPrinter } from '../../src/core/api/printers/own.ts';
import type {
  CustomResourceColumnDefinition,
  CustomResourceSubresourceScale,
} from '../../src/core/api/types/apiextensions-v1.ts';

/** What a definition says besides the schema that follows from the facts. */
export interface DefinitionExtras {
  readonly columns: readonly CustomResourceColumnDefinition[];
  readonly scale?: CustomResourceSubresourceScale;
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
  readonly longestName?: number;
}

const HERE = 'RESERVATION_EXTRAS in tools/generate/reservation-crds.ts';

/** A column of a printer as a path can say it; what is not given is the printer's. */
type ColumnPath = Pick<CustomResourceColumnDefinition, 'jsonPath'> &
  Partial<Pick<CustomResourceColumnDefinition, 'name' | 'type' | 'description'>>;

/** By the printer's names of columns, `Name` apart: the API server adds that one itself. */
interface ColumnPaths {
  readonly [column: string]: ColumnPath;
}

/** Columns of a definition: those of the kind's printer, in its order, each with the path where an API server finds the cell. */
export function definitionColumns(
  name: string,
  { columns }: { readonly columns: readonly PrinterColumn[] },
  paths: ColumnPaths,
): readonly CustomResourceColumnDefinition[] {
  const all: ColumnPaths = { ...paths, Age: { jsonPath: '.metadata.creationTimestamp' } };
  const own = columns.filter((column) => column.name !== 'Name');
  const unknown = Object.keys(paths).filter((each) => !own.some((column) => column.name === each));
  if (unknown.length > 0)
    throw new Error(`the printer of ${name} has no column ${unknown.join(', ')}: remove it from ${HERE}`);
  return own.map(({ name: column, type, description, priority }) => {
    const path = all[column];
    if (path === undefined) throw new Error(`add the jsonPath of the column ${column} of ${name} to ${HERE}`);
    return {
      name: path.name ?? column,
      type: path.type ?? type,
      jsonPath: path.jsonPath,
      // Definitions in general leave the age unexplained.
      ...(column === 'Age' ? {} : { description: path.description ?? description }),
      ...(priority === 0 ? {} : { priority }),
    };
  });
}

const ORDERS = 'orders.core.korder.dev';
const TICKETS = 'tickets.core.korder.dev';
const QUOTAS = 'quotas.core.korder.dev';

const condition = (type: string): string => `.status.conditions[?(@.type=="${type}")].status`;

export const RESERVATION_EXTRAS: ReadonlyMap<string, DefinitionExtras> = new Map<string, DefinitionExtras>([
  [
    ORDERS,
    {
      columns: definitionColumns(ORDERS, orderPrinter, {
        Mode: {
          jsonPath: '.spec.daemonSet',
          name: 'Every-Node',
          type: 'boolean',
          description: 'One Ticket on every eligible node',
        },
        Wanted: { jsonPath: '.status.replicas' },
        Available: { jsonPath: '.status.availableReplicas' },
        Strategy: { jsonPath: '.spec.strategy.type' },
        Ready: { jsonPath: condition('Ready') },
        Refresh: { jsonPath: '.spec.strategy.refreshPolicy' },
        Paused: { jsonPath: '.spec.paused', type: 'boolean' },
        Next: { jsonPath: '.status.nextScheduleTime', description: 'The next tick of the schedule' },
      }),
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.selector',
      },
      longestName: LONGEST_NAME,
    },
  ],
  [
    TICKETS,
    {
      columns: definitionColumns(TICKETS, ticketPrinter, {
        Phase: { jsonPath: '.status.phase' },
        Node: { jsonPath: '.status.nodeName' },
        'Claimed-By': { jsonPath: '.status.claimedPod' },
        Expires: { jsonPath: '.status.expirationTime', description: 'Time at which the room is given back' },
        'Guardian-Pod': { jsonPath: '.status.guardianPod' },
        Reason: { jsonPath: '.status.reason' },
      }),
      selectableFields: [{ jsonPath: '.status.phase' }, { jsonPath: '.status.nodeName' }],
      longestName: LONGEST_NAME,
    },
  ],
  [
    QUOTAS,
    {
      columns: definitionColumns(QUOTAS, quotaPrinter, {
        Scope: { jsonPath: '.spec.scope.type' },
        Enforced: { jsonPath: condition('Enforced') },
        Exceeded: { jsonPath: condition('Exceeded') },
        Window: { jsonPath: '.status.activeTimeWindow' },
      }),
    },
  ],
]);

const PREFIX = 'korder/v1alpha1.';

const TYPES: { readonly [type: string]: { readonly [field: string]: FieldBounds } } = RESERVATION_BOUNDS;

/** Bounds of the fields of a type of the facts; undefined for types of others. */
export const boundsOf = (type: string): { readonly [field: string]: FieldBounds } | undefined =>
  type.startsWith(PREFIX) && Object.hasOwn(TYPES, type.slice(PREFIX.length))
    ? TYPES[type.slice(PREFIX.length)]
    : undefined;

/** Bounds in the words of a schema. */
export function boundsSchema(field: FieldBounds): object {
  const { about: _, schema: __, required: ___, ...bounds } = field;
  return bounds;
}

/**
 * `kubectl scale` writes replicas past admission, which sees only the Scale. Where they have no effect, changing them is refused by
 * the definition itself.
 */
export const TYPE_RULES: ReadonlyMap<string, readonly object[]> = new Map([
  [
    `${PREFIX}OrderSpec`,
    [
      {
        rule: '!has(self.daemonSet) || !self.daemonSet || !has(self.replicas) || (has(oldSelf.replicas) && self.replicas == oldSelf.replicas)',
        message: 'an Order with daemonSet has one Ticket per eligible node and cannot be scaled; remove replicas',
        fieldPath: '.replicas',
      },
    ],
  ],
]);
