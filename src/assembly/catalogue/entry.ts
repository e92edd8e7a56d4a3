/**
 * The shape of the catalogue: one row a controller. Profiles, help texts, roles, chart and documentation are made from rows, so
 * that a new controller is a folder in control/, a row here and, where the operator runs it, a scenario for the test of its rights.
 */
import type { BuiltInAdmissionOptions } from '../../apiserver/admission/built-in.ts';
import type { HeldNames } from '../../core/api/custom/crd/held-names.ts';
import type { Registry } from '../../core/api/registry/registry.ts';
import type { CustomResourceDefinition } from '../../core/api/types/apiextensions-v1.ts';
import type { Actor } from '../../machinery/actor.ts';
import type { KeyPair } from '../../machinery/certificates/certificates.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Surroundings } from '../../machinery/controller/surroundings.ts';
import type { EventRecorder } from '../../machinery/events/event-recorder.ts';
import type { Rights } from './rights.ts';

/** `embedded`: everynode up. `operator`: everynode operator. `simulated`: a cluster in virtual time. */
export type Profile = 'embedded' | 'operator' | 'simulated';

/** Parts of an API server in the same process, for controllers that depend on the kinds that it serves. */
export interface ServerParts extends Surroundings {
  /** Kinds as the server serves them now. */
  readonly registry: Registry;
}

/** Parts that only `everynode up` has: it is the authority of its own cluster. */
export interface EmbeddedParts extends ServerParts {
  /** Signs certificates; its own certificate is published in every namespace. */
  readonly authority: KeyPair;
  /** Names that definitions of users may not take. */
  readonly held: readonly HeldNames[];
  /** A client that acts as a controller's own account, with no more rights than Kubernetes gives to that. */
  readonly clientOf: (account: string) => Client;
  /** Time between the deletion of a namespace and that of its content; the controller's own default when absent. */
  readonly namespaceGraceMs?: number;
  /** Events of the scheduler, workloads and house-keepers go here; absent: each has a recorder of its own. */
  readonly events?: EventRecorder;
}

/** Settings of `everynode operator` that single controllers read. */
export interface OperatorParts extends Surroundings {
  /** Image of guardian pods; the controller's own default when absent. */
  readonly guardianImage?: string | undefined;
}

/** The dependencies that each profile passes to the controllers that it creates. */
export interface GivenIn {
  readonly embedded: EmbeddedParts;
  readonly operator: OperatorParts;
  readonly simulated: ServerParts;
}

/**
 * When a profile runs a controller. `always`: whatever `--controllers` lists, so it is not a name to list. `default`: `*` includes
 * the controller. `named`: the list must name it.
 */
type Runs = 'always' | 'default' | 'named';

/** A controller's place in one profile. `create` makes a new actor each time: an actor is started once. */
export interface Place<P extends Profile> {
  readonly runs: Runs;
  readonly create: (given: GivenIn[P]) => Actor;
  /**
   * Name of the actor in scenarios and traces of a simulation, where that is not the controller's name. The actor's random numbers
   * are drawn from it: another name makes every seed another run.
   */
  readonly actor?: P extends 'simulated' ? string : never;
}

/** The part of Kubernetes that does a controller's work on an ordinary cluster. While that part acts, ours does not start. */
export interface InsteadOf {
  /**
   * Name of this part among `everynode.runs` in the `/version` document of an embedded cluster that runs the
   * controller.
   */
  readonly name: string;
  /** How to make room for the operator's controller on an embedded cluster. */
  readonly fixEmbedded: string;
  /** The Lease in kube-system that the leader of the upstream program holds. */
  readonly lease: string;
  /** The upstream program, or its part, in documentation; the Lease's name unless given. */
  readonly program?: string;
  /** How to make room for the operator's controller on any other cluster. */
  readonly fix: string;
}

/** Kinds of ours that exist for one controller. A server serves them only while the controller runs. */
interface KeptKinds {
  /** Built-in kinds, by the names that definitions of them would have: `orders.core.korder.dev`. */
  readonly builtIn?: readonly string[];
  /** Kinds that are defined by definitions, as on any other cluster. */
  readonly defined?: () => readonly CustomResourceDefinition[];
}

/** Marks that the embedded server's admission puts on new objects only while the controller runs that takes them off again. */
interface Removes {
  /** The taint `node.kubernetes.io/not-ready` of new nodes. */
  readonly nodeTaints?: true;
  /** The finalizer of storage in use, by resource. */
  readonly finalizerOf?: NonNullable<BuiltInAdmissionOptions['protects']>[number];
}

export interface ControllerRow {
  /** Canonical name: in `--controllers`, in metrics, and of its rights. */
  readonly name: string;
  /** Other names that `--controllers` accepts. */
  readonly aliases: readonly string[];
  /** One line for people; continues a sentence that begins with the controller's name. */
  readonly about: string;
  readonly insteadOf?: InsteadOf;
  /** Rights on a cluster that everynode does not serve; needed where the operator runs the controller. */
  readonly rights?: readonly Rights[];
  readonly kinds?: KeptKinds;
  readonly removes?: Removes;
  /** Where the controller runs. A profile that is absent never creates it. */
  readonly profiles: { readonly [P in Profile]?: Place<P> };
}

export type Catalogue = readonly ControllerRow[];
