/** The controller of KubernetesDaemonSets. */
import {
  COMPONENT_ANNOTATIONS,
  COMPONENT_EVENTS,
  COMPONENT_FIELD_MANAGERS,
  COMPONENT_FINALIZER,
} from '../../../core/api/names.ts';
import { hasFinalizer, isBeingDeleted } from '../../../core/kube/finalizers.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import { labelOf } from '../../../core/kube/labels.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { newer } from '../../../core/kube/resource-version.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { formatTime } from '../../../core/kube/time.ts';
import type { Actor } from '../../../machinery/actor.ts';
import { wasAborted } from '../../../machinery/time/abort.ts';
import type { Client } from '../../../machinery/client/client.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import { createController, type ReconcileResult } from '../../../machinery/controller/controller.ts';
import { createEventRecorder } from '../../../machinery/events/event-recorder.ts';
import { createInformers, type Informers } from '../../../machinery/cache/informers.ts';
import { silentLogger, type Logger } from '../../../machinery/logging/logger.ts';
import type { Metrics } from '../../../machinery/metrics/metrics.ts';
import type { Random } from '../../../machinery/random/random.ts';
import { applyComponent } from '../apply/apply.ts';
import { createCalls } from '../apply/calls.ts';
import { componentToApply } from '../apply/from-rendered.ts';
import { inventoryRef, type Undone } from '../apply/inventory.ts';
import { readInventory } from '../apply/inventory-store.ts';
import { refKey, refText } from '../apply/object-ref.ts';
import type { Adoption } from '../apply/plan.ts';
import { prepare } from '../apply/prepare.ts';
import { identityText, type ApplyContext, type ComponentIdentity, type RenderedComponent } from '../apply/rendered.ts';
import { createScrubber } from '../apply/secrets.ts';
import { readObject } from '../../../core/component/load/load.ts';
import type { ComponentObject } from './component-object.ts';
import { desiredOf, type Desired } from './desired.ts';
import { createKinds, COMPONENT_GROUPS, isFollowed, type FollowedKind } from './component-kinds.ts';
import { concerns, createKnown, livesIn, type Known } from './tracked-component.ts';
import { outcomeOf, wasSuperseded } from './outcome.ts';
import { checksumOf, referencedSecrets, withChecksum } from './referenced-secrets.ts';
import { goesWithDefinition } from './definition-deletion.ts';
import { inventoryText, leftBehind, removeComponents } from './delete-objects.ts';
import { rolloutOf } from './rollout-view.ts';
import { createSecretWatch } from './secret-watch.ts';
import { isSame, type Seen } from './observed-objects.ts';
import { problemLine, statusOf, type Outcome } from './status.ts';
import { eventsOf, workNote } from './events.ts';
import { openWorld, type World } from './child-caches.ts';

export interface ComponentControllerOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  readonly instance?: string;
  readonly concurrency?: number;
  /** The server serves its own definitions whatever the stored ones say: they are followed as soon as they are there. */
  readonly keepsNames?: boolean;
}

const CONCURRENCY = 4;
/** Several objects of one component often change together. */
const CHILD_DELAY_MS = 100;
/** A rollout changes many pods; it is looked at no more often than this. */
const POD_DELAY_MS = 1_000;
/** A worker does not wait out a server's troubles; the queue does. */
const RETRY_FOR_MS = 3_000;
const GONE_WITHIN_MS = 3_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 300_000;
/** Where something is on its way out, and no change tells us so. */
const LOOK_AGAIN_MS = 15_000;
const FILL_MS = 100;
const APPLIED: Outcome = { is: 'applied' };
const MOST_CHANGES = 10;
const RESTLESS_WITHIN_MS = 60_000;
const RESTLESS: Outcome = {
  is: 'failed',
  reason: 'ChangedByOthers',
  message: `what it brings was changed by somebody else, and put right, ${MOST_CHANGES} times within a minute; find out who does that`,
};

type Resource = Stored<ComponentObject>;

const keyText = (group: string, { metadata }: ComponentObject): string =>
  `${group}/${metadata.namespace ?? ''}/${metadata.name}`;
function describe(key: string): { readonly group: string; readonly namespace: string; readonly name: string } {
  const [group = '', namespace = '', name = ''] = key.split('/');
  return { group, namespace, name };
}
const nameText = ({ metadata }: ComponentObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

export function createComponentController(options: ComponentControllerOptions): Actor {
  const { client, clock, random } = options;
  const logger = options.logger ?? silentLogger;
  const following = { clock, random, logger, dropManagedFields: true };
  const own = createInformers(client, following);
  const recorder = createEventRecorder({
    client,
    clock,
    random,
    logger,
    controller: 'everynode-component',
    instance: options.instance ?? 'everynode',
    api: 'core',
  });
  const components = new Map<string, Known>();
  const secrets = createSecretWatch(client, following, (key) => controller.queue.add(key));
  let world: World | undefined;

  const enqueue = (delayMs: number, isMeant: (known: Known) => boolean): void => {
    for (const known of components.values()) if (isMeant(known)) controller.queue.addAfter(known.key, delayMs);
  };
  const kinds = createKinds(
    client,
    { ...following, keepsNames: options.keepsNames === true },
    {
      begun() {
        world = openWorld(own, options.informers, {
          childChanged: (component) => enqueue(CHILD_DELAY_MS, (known) => concerns(known, component)),
          podChanged: (component) => enqueue(POD_DELAY_MS, ({ target }) => target === component),
          namespaceChanged: (name) => enqueue(CHILD_DELAY_MS, (known) => livesIn(known, name)),
          inventoryChanged: (uid) => enqueue(CHILD_DELAY_MS, (known) => known.uid === uid),
        });
      },
      changed(group, { type, object, old }) {
        controller.queue.add(keyText(group, object));
        const isNews = type !== 'update' || object.metadata.generation !== old.metadata.generation;
        if (isNews) followDependents(object);
      },
    },
  );
  const followDependents = (object: ComponentObject): void => {
    const name = nameText(object);
    enqueue(0, ({ needs }) => needs.includes(name));
  };

  const context = (signal: AbortSignal): ApplyContext => ({ client, clock, random, signal, retryForMs: RETRY_FOR_MS });

  /** Of a name the one in the same group, else in the first that has it. */
  function others(group: string, namespace: string): (name: string) => Resource | undefined {
    return (name) => {
      for (const each of [group, ...COMPONENT_GROUPS]) {
        const found = kinds.find(each)?.informer.lister.get(name, namespace);
        if (found !== undefined) return found;
      }
      return undefined;
    };
  }

  /** Made anew only when something it is made of has changed. */
  function desire(known: Known, object: Resource, find: (name: string) => Resource | undefined): Desired {
    const { metadata } = object;
    const { 'kubectl.kubernetes.io/last-applied-configuration': _applied, ...annotations } = metadata.annotations ?? {};
    const versionOf = (name: string): string => {
      const other = find(name);
      return other === undefined ? '' : `${other.metadata.uid}:${other.metadata.generation ?? 0}`;
    };
    const textOf = (needs: readonly string[]): string =>
      JSON.stringify([metadata.uid, metadata.generation, annotations, metadata.labels, needs.map(versionOf)]);
    const before = known.desired;
    if (before !== undefined && before.of === textOf(before.is.needs)) return before.is;
    const is = desiredOf(object, find);
    known.desired = { of: textOf(is.needs), is };
    known.needs = is.needs.map((name) => `${metadata.namespace ?? ''}/${name}`);
    return is;
  }

  /** With the checksum of what its pods read and others own. */
  async function wantedOf(
    known: Known,
    object: Resource,
    desired: Desired & { readonly is: 'wanted' },
    at: World,
    signal: AbortSignal,
  ): Promise<RenderedComponent> {
    const { namespace, name } = desired.rendered.identity;
    const names = referencedSecrets(desired.rendered);
    secrets.want(known.key, namespace, names);
    const digests = new Map<string, string | undefined>();
    for (const secret of names) digests.set(secret, await secrets.digest(namespace, secret, signal));
    const checksum = checksumOf(digests, at.daemonSet(namespace, name));
    if (known.wanted?.desired === desired && known.wanted.checksum === checksum) return known.wanted.component;
    const component = componentToApply(withChecksum(desired.rendered, checksum), object.metadata.uid);
    known.wanted = { desired, checksum, component };
    return component;
  }

  /** What the caches show of everything the component brings. */
  function seenOf(component: RenderedComponent, at: World): Seen {
    const seen = new Map<string, Stored | undefined>();
    for (const { ref, key } of prepare(component)) seen.set(key, at.find(ref));
    const list = inventoryRef(component.identity);
    seen.set(refKey(list), at.find(list));
    return seen;
  }

  /** The first of its kind to be applied: others take something from it. */
  function unappliedNeed(
    object: Resource,
    needs: readonly string[],
    find: (name: string) => Resource | undefined,
  ): string | undefined {
    return needs.find((name) => find(name)?.status?.inventory === undefined && name !== object.metadata.name);
  }

  const isPaused = ({ metadata }: ComponentObject): boolean =>
    labelOf(metadata.annotations, COMPONENT_ANNOTATIONS.paused) === 'true';

  const adoptionOf = ({ metadata }: ComponentObject): Adoption => {
    const said = labelOf(metadata.annotations, COMPONENT_ANNOTATIONS.adopt);
    return said === 'unowned' || said === 'any' ? said : 'never';
  };

  interface Work {
    readonly kind: FollowedKind;
    readonly known: Known;
    object: Resource;
    readonly at: World;
    readonly signal: AbortSignal;
  }

  async function patchFinalizers(work: Work, finalizers: readonly string[]): Promise<void> {
    const { kind, known, object, signal } = work;
    const { namespace = '', name, resourceVersion } = object.metadata;
    const body = { metadata: { resourceVersion, finalizers: [...finalizers] } };
    const written = await client.patch(
      kind.resource,
      { namespace, name },
      { type: 'merge', body },
      {
        fieldManager: COMPONENT_FIELD_MANAGERS.controller,
        signal,
      },
    );
    work.object = known.written = written;
  }

  async function bring(work: Work, component: RenderedComponent): Promise<Outcome> {
    const { known, at, signal } = work;
    const seen = seenOf(component, at);
    const adopt = adoptionOf(work.object);
    const { settled } = known;
    if (settled?.component === component && settled.adopt === adopt && isSame(settled.seen, seen))
      return settled.outcome;
    known.settled = undefined;
    if (isRestless(known, work.object)) return RESTLESS;
    if (!hasFinalizer(work.object, COMPONENT_FINALIZER))
      await patchFinalizers(work, [...(work.object.metadata.finalizers ?? []), COMPONENT_FINALIZER]);
    const { status, metadata } = work.object;
    const keepsUndone =
      status !== undefined && metadata.generation === (status.undone?.generation ?? status.observedGeneration);
    try {
      const { changed, steps, daemonSets } = await applyComponent(context(signal), component, {
        adopt,
        keepsUndone,
        reclaim: true,
        waitMs: GONE_WITHIN_MS,
      });
      known.set = daemonSets.find(({ metadata }) => metadata.name === component.identity.name);
      if (changed) known.changes.push(clock.monotonic());
      else known.settled = { component, adopt, seen, outcome: APPLIED };
      const note = workNote(COMPONENT_EVENTS.applied, steps);
      if (note !== undefined) recorder.event(work.object, note);
      return APPLIED;
    } catch (error) {
      if (wasAborted(error, signal)) throw error;
      const outcome = outcomeOf(error, await undoneOf(component.identity, error, signal));
      if (outcome === undefined) throw error;
      // Nothing comes of looking again before somebody applies or changes something: that is seen.
      if (outcome.is === 'undone') known.settled = { component, adopt, seen, outcome };
      return outcome;
    }
  }

  /** Somebody changes it back again and again. Whoever that is, the two of us need not keep the server busy with it. */
  function isRestless(known: Known, { metadata }: Resource): boolean {
    if (known.changedAt !== metadata.generation) known.changes = [];
    known.changedAt = metadata.generation;
    const since = clock.monotonic() - RESTLESS_WITHIN_MS;
    known.changes = known.changes.filter((at) => at > since);
    return known.changes.length >= MOST_CHANGES;
  }

  async function undoneOf(
    identity: ComponentIdentity,
    error: unknown,
    signal: AbortSignal,
  ): Promise<Undone | undefined> {
    if ((error as { readonly code?: string }).code !== 'EN_COMPONENT_APPLY_UNDONE') return undefined;
    return (await readInventory(createCalls(context(signal), createScrubber()), identity))?.inventory.undone;
  }

  /** What the spec once said, and says no more: another namespace. */
  async function leaveOldPlaces(work: Work, identity: ComponentIdentity): Promise<boolean> {
    const { known, at, object, signal } = work;
    const { uid } = object.metadata;
    const old = at.inventoriesOf(uid).filter((each) => identityText(each.identity) !== identityText(identity));
    known.leaving = old.map((each) => each.identity);
    if (old.length === 0) return true;
    const { steps, pending } = await removeComponents(context(signal), at, uid, old);
    const note = workNote(COMPONENT_EVENTS.deleted, steps);
    if (note !== undefined) recorder.event(object, note);
    return pending === undefined;
  }

  async function reconcilePresent(work: Work): Promise<ReconcileResult | undefined> {
    const { known, object, at, signal, kind } = work;
    const find = others(kind.resource.group, object.metadata.namespace ?? '');
    const desired = desire(known, object, find);
    let outcome: Outcome;
    let isLeft = true;
    if (desired.is === 'wanted') {
      const { identity } = desired.rendered;
      known.target = identityText(identity);
      known.namespace = identity.namespace;
      const need = unappliedNeed(object, desired.needs, find);
      if (isPaused(object)) outcome = { is: 'paused' };
      else if (need !== undefined)
        outcome = {
          is: 'waiting',
          reason: 'DependencyNotApplied',
          message: `it takes something from ${need}, which comes first`,
        };
      else {
        const component = await wantedOf(known, object, desired, at, signal);
        const isSettled = known.settled?.component === component;
        outcome = await bring(work, component);
        if (outcome.is === 'applied') isLeft = await leaveOldPlaces(work, identity);
        if (outcome.is === 'applied' && !isSettled && known.settled !== undefined) followDependents(object);
      }
    } else if (desired.is === 'lacking')
      outcome = { is: 'waiting', reason: 'ReferenceNotFound', message: desired.problems.map(problemLine).join('\n') };
    else outcome = { is: 'invalid', problems: desired.problems };
    await report(work, outcome, desired);
    if (outcome.is === 'applied') {
      known.failures = 0;
      // Looks once more after a change: whatever happened meanwhile is seen then.
      if (known.settled === undefined) return { requeueAfterMs: CHILD_DELAY_MS };
      return isLeft ? undefined : { requeueAfterMs: LOOK_AGAIN_MS };
    }
    return outcome.is === 'conflict' || outcome.is === 'failed' || outcome.is === 'waiting' ? later(work) : undefined;
  }

  /** Later and later while nothing gets better; from the beginning when the spec is another. */
  function later({ known, object }: Work): ReconcileResult {
    if (known.failedAt !== object.metadata.generation) known.failures = 0;
    known.failedAt = object.metadata.generation;
    known.failures += 1;
    return { requeueAfterMs: Math.min(FIRST_RETRY_MS * 2 ** (known.failures - 1), LAST_RETRY_MS) };
  }

  async function reconcileGoing(work: Work): Promise<ReconcileResult | undefined> {
    const { known, at, signal } = work;
    const { object } = work;
    if (!hasFinalizer(object, COMPONENT_FINALIZER)) return undefined;
    if (await goesWithDefinition(client, work.kind.resource.group, object, signal)) {
      logger.info('The definition was deleted: the component is let go of, and what it brought stays', {
        ...describe(known.key),
      });
      return letGo(work);
    }
    if (isPaused(object)) {
      await report(work, { is: 'paused' });
      return undefined;
    }
    const { uid, name } = object.metadata;
    const inventories = at.inventoriesOf(uid);
    try {
      const listed = new Set(inventories.map(({ identity }) => identityText(identity)));
      const unlisted: ComponentIdentity[] = [];
      for (const namespace of placesOf(object)) {
        const identity = { name, namespace };
        const isRecorded = object.status?.inventory === inventoryText(identity);
        if (listed.has(identityText(identity)) || isAnothers(identity, uid)) continue;
        if (await leftBehind(context(signal), identity, uid, isRecorded)) unlisted.push(identity);
      }
      known.leaving = [...inventories.map(({ identity }) => identity), ...unlisted];
      const { steps, pending } = await removeComponents(context(signal), at, uid, inventories, unlisted);
      const note = workNote(COMPONENT_EVENTS.deleted, steps);
      if (note !== undefined) recorder.event(object, note);
      if (pending !== undefined) {
        await report(work, { is: 'deleting', message: `waits for the end of ${refText(pending)}` });
        return { requeueAfterMs: LOOK_AGAIN_MS };
      }
    } catch (error) {
      if (wasAborted(error, signal)) throw error;
      const outcome = outcomeOf(error);
      if (outcome === undefined) throw error;
      await report(work, outcome);
      return later(work);
    }
    return letGo(work);
  }

  async function letGo(work: Work): Promise<undefined> {
    const rest = (work.object.metadata.finalizers ?? []).filter((each) => each !== COMPONENT_FINALIZER);
    await patchFinalizers(work, rest).catch((error: unknown) => {
      if (!isStatus(error, 'NotFound')) throw error;
    });
    forget(work.known);
  }

  /** Namespaces in which it may have brought something: as recorded, and as its spec says, if that can be read. */
  function placesOf(object: Resource): readonly string[] {
    const recorded = object.status?.inventory?.split('/')[0];
    const { component, problems } = readObject(object);
    const said = problems.length === 0 ? component.spec.namespace.value : undefined;
    return [...new Set([recorded, said].filter((each) => each !== undefined && each !== ''))] as string[];
  }

  /** Another custom resource stands for the same component: what bears no uid may be its. */
  const isAnothers = (identity: ComponentIdentity, uid: string): boolean =>
    components.values().some((known) => known.uid !== uid && known.target === identityText(identity));

  /** Puts the status into words, writes it where it says something new, and tells of what is worth it. */
  async function report(work: Work, outcome: Outcome, desired?: Desired): Promise<void> {
    const { kind, known, object, at, signal } = work;
    const [inventory] = at.inventoriesOf(object.metadata.uid);
    const identity = desired?.is === 'wanted' ? desired.rendered.identity : inventory?.identity;
    const cached = identity === undefined ? undefined : at.daemonSet(identity.namespace, identity.name);
    const live = cached === undefined ? undefined : newer(cached, known.set);
    const isOurs = at
      .inventoriesOf(object.metadata.uid)
      .some((each) => each.identity.namespace === identity?.namespace);
    const set = isOurs ? live : undefined;
    const snapshot = set === undefined ? undefined : await rolloutOf({ client, clock, logger }, at, known, set, signal);
    const status = statusOf({
      generation: object.metadata.generation ?? 0,
      now: formatTime(clock.now()),
      outcome,
      before: object.status,
      ...(desired?.is === 'wanted' ? { component: desired.component } : {}),
      ...(set === undefined ? {} : { set }),
      ...(snapshot === undefined ? {} : { snapshot }),
      ...(identity !== undefined && isOurs ? { inventory: inventoryText(identity) } : {}),
    });
    if (deepEqual(status, object.status)) return;
    known.written = await client.update(
      kind.resource,
      { ...object, status },
      { subresource: 'status', fieldManager: COMPONENT_FIELD_MANAGERS.controller, signal },
    );
    work.object = known.written;
    if (status.inventory !== object.status?.inventory) followDependents(object);
    const notes = eventsOf(object.status, status);
    for (const note of notes) recorder.event(object, note);
    if (outcome.is === 'failed' && notes.length > 0)
      logger.warn('A component could not be applied', {
        ...describe(known.key),
        reason: outcome.reason,
        message: outcome.message,
      });
  }

  function forget({ key }: Known): void {
    components.delete(key);
    secrets.want(key, '', []);
  }

  const controller = createController<string>({
    name: 'component',
    clock,
    random,
    logger,
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
    concurrency: options.concurrency ?? CONCURRENCY,
    waitFor: [(signal) => kinds.synced(signal)],
    describe,
    async reconcile(key, signal) {
      const { group, namespace, name } = describe(key);
      const kind = kinds.find(group);
      if (!kinds.areFilled() || world === undefined) return { requeueAfterMs: FILL_MS };
      await world.synced(signal);
      const cached = kind?.informer.lister.get(name, namespace);
      let known = components.get(key);
      if (kind === undefined || cached === undefined) {
        if (known !== undefined) forget(known);
        return undefined;
      }
      if (known?.uid !== cached.metadata.uid) {
        if (known !== undefined) forget(known);
        components.set(key, (known = createKnown(key, cached.metadata.uid)));
      }
      // What we wrote may not have come back yet.
      const work: Work = { kind, known, object: newer(cached, known.written), at: world, signal };
      try {
        return await (isBeingDeleted(work.object) ? reconcileGoing(work) : reconcilePresent(work));
      } catch (error) {
        // Somebody else was at it: no fault, and what came of it is seen at the next look.
        if (!wasSuperseded(error)) throw error;
        logger.debug('Somebody else applies or deletes the component, looking again', { group, namespace, name });
        return { requeueAfterMs: FIRST_RETRY_MS };
      }
    },
  });

  return {
    name: 'component',
    ready: () => controller.ready(),
    unknown: () => [
      ...kinds.unknown(),
      ...[...own.all()].flatMap((informer) => (isFollowed(informer) ? [] : [informer.resource])),
    ],
    async start(signal) {
      await Promise.all([
        own.start(signal),
        recorder.start(signal),
        kinds.start(signal),
        secrets.start(signal),
        controller.start(signal),
      ]);
    },
  };
}
