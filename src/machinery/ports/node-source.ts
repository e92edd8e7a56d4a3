/**
 * Nodes, wherever they are kept. With one API server that is an informer; in partitioned mode several servers own
 * nodes, each with its own state of synchronisation and its own resource versions, which never meet.
 */
import type { Node } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { Client } from '../client/client.ts';
import type { HandlerRegistration, Informer, InformerHandler } from '../cache/informer.ts';

interface SourcedNode {
  readonly node: Stored<Node>;
  /** The partition that owns the node. */
  readonly partition: string;
}

type PartitionState =
  /** Not all nodes of the partition are known yet: absence means nothing. */
  | 'syncing'
  /** The nodes of the partition are known and followed. */
  | 'synced'
  /** The nodes of the partition were known; changes since are not. Nothing may be concluded from silence. */
  | 'unreachable';

interface NodePartition {
  readonly name: string;
  readonly state: PartitionState;
  /** The API server that owns these nodes and the pods bound to them. */
  readonly client: Client;
}

type NodeHandler = InformerHandler<Node> & {
  /** A partition was lost or came back. */
  partition?(partition: NodePartition): void;
};

export interface NodeSource {
  partitions(): readonly NodePartition[];
  /** True when the nodes of every partition are known: only then may "not there" mean "gone". */
  hasSynced(): boolean;
  synced(signal?: AbortSignal): Promise<void>;
  readonly size: number;
  get(name: string): SourcedNode | undefined;
  nodes(): Iterable<SourcedNode>;
  addHandler(handler: NodeHandler): HandlerRegistration;
}

/** The partition of a cluster that is not partitioned. */
const SOLE_PARTITION = 'home';

export function nodeSourceFrom(informer: Informer<Node>, client: Client, partition = SOLE_PARTITION): NodeSource {
  return {
    partitions: () => [{ name: partition, state: informer.hasSynced() ? 'synced' : 'syncing', client }],
    hasSynced: () => informer.hasSynced(),
    synced: (signal) => informer.synced(signal),
    get size() {
      return informer.lister.size;
    },
    get(name) {
      const node = informer.lister.get(name);
      return node === undefined ? undefined : { node, partition };
    },
    *nodes() {
      for (const node of informer.lister.list()) yield { node, partition };
    },
    addHandler: (handler) => informer.addHandler(handler),
  };
}
