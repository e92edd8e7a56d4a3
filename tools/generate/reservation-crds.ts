/** Parts of the definitions of Orders, Tickets and Quotas that the facts do not have: bounds, columns, subresources, rules. */
import {
  type FieldBounds,
  LONGEST_NAME,
  RESERVATION_BOUNDS,
} from '../../src/core/api/kinds/reservation/schema-bounds.ts';
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

const AGE: CustomResourceColumnDefinition = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

const column = (name: string, jsonPath: string, description: string, priority = 0): CustomResourceColumnDefinition => ({
  name,
  type: 'string',
  jsonPath,
  description,
  ...(priority === 0 ? {} : { priority }),
});

const counted = (name: string, jsonPath: string, description: string): CustomResourceColumnDefinition => ({
  ...column(name, jsonPath, description),
  type: 'integer',
});

const flag = (name: string, jsonPath: string, description: string, priority = 0): CustomResourceColumnDefinition => ({
  ...column(name, jsonPath, description, priority),
  type: 'boolean',
});

const condition = (type: string): string => `.status.conditions[?(@.type=="${type}")].status`;

export const RESERVATION_EXTRAS: ReadonlyMap<string, DefinitionExtras> = new Map<string, DefinitionExtras>([
  [
    'orders.core.korder.dev',
    {
      columns: [
        flag('Every-Node', '.spec.daemonSet', 'One Ticket on every eligible node'),
        counted('Wanted', '.status.replicas', 'Tickets that are wanted'),
        counted('Available', '.status.availableReplicas', 'Tickets that hold room'),
        column('Strategy', '.spec.strategy.type', 'When Tickets are made'),
        column('Ready', condition('Ready'), 'Whether everything it asks for is in place'),
        AGE,
        column('Refresh', '.spec.strategy.refreshPolicy', 'What follows a claimed or expired Ticket', 1),
        flag('Paused', '.spec.paused', 'Whether the Order is left alone', 1),
        column('Next', '.status.nextScheduleTime', 'The next tick of the schedule', 1),
      ],
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.selector',
      },
      longestName: LONGEST_NAME,
    },
  ],
  [
    'tickets.core.korder.dev',
    {
      columns: [
        column('Phase', '.status.phase', 'Pending, Reserved, Claiming, Claimed, Released or Expired'),
        column('Node', '.status.nodeName', 'Node on which room is held'),
        column('Claimed-By', '.status.claimedPod', 'Pod that took the room'),
        column('Expires', '.status.expirationTime', 'Time at which the room is given back'),
        AGE,
        column('Guardian-Pod', '.status.guardianPod', 'Pod that holds the room until then', 1),
        column('Reason', '.status.reason', 'Why no room is held', 1),
      ],
      selectableFields: [{ jsonPath: '.status.phase' }, { jsonPath: '.status.nodeName' }],
      longestName: LONGEST_NAME,
    },
  ],
  [
    'quotas.core.korder.dev',
    {
      columns: [
        column('Scope', '.spec.scope.type', 'What the quota is counted over'),
        column('Enforced', condition('Enforced'), 'Whether it is applied'),
        column('Exceeded', condition('Exceeded'), 'Whether more is reserved than allowed'),
        AGE,
        column('Window', '.status.activeTimeWindow', 'Time window that multiplies its values now', 1),
      ],
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
