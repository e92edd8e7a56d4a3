/** Flags of the commands for Orders and Tickets. Nothing heavy is loaded. */
import type { ClusterFlags } from '../component/flags.ts';

interface ListFlags extends ClusterFlags {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly output: 'table' | 'wide' | 'name' | 'json' | 'yaml';
}

export type OrdersFlags = ListFlags;

export interface TicketsFlags extends ListFlags {
  readonly node?: string;
}

export interface AdoptFlags extends ClusterFlags {
  readonly namespace?: string;
  readonly pods?: string;
  readonly tickets?: string;
  readonly dryRun?: boolean;
  readonly output: 'table' | 'json' | 'yaml';
}
