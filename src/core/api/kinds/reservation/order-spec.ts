/** Rules for the spec of an Order: strategy and schedule, selector, template. */
import { forbidden, invalid, required } from '../../../kube/field-errors.ts';
import { RESERVATION_LABELS } from '../../names.ts';
import type { Order, OrderSpec, OrderStrategy, TicketTemplateMetadata } from '../../types/korder-v1alpha1.ts';
import { addAll, type Findings } from '../../rules/findings.ts';
import { validateAnnotations, validateLabels } from '../../rules/metadata.ts';
import { selectorFindings } from '../pod/label-keys.ts';
import { compiled, isEmptySelector } from '../workloads/template.ts';
import { validateAgree } from './either-shape.ts';
import { orderPlan } from './order-plan.ts';
import { validateBounds } from './schema-bounds.ts';
import { type TicketContext, validateTicketSpec } from './ticket-spec.ts';
import { isZone, validateSchedule, validateTimeZone, zoneInSchedule } from './time-rules.ts';

export interface OrderContext extends TicketContext {
  /** A schedule must have a tick after this time. */
  readonly fromMs: number;
}

export function validateOrderSpec(found: Findings, order: Order, context: OrderContext): void {
  const spec: OrderSpec = order.spec ?? {};
  validateBounds(found, 'OrderSpec', spec, 'spec');
  validateBounds(found, 'OrderStrategy', spec.strategy, 'spec.strategy');
  validateAgree(
    found,
    { path: 'spec.strategy.refreshPolicy', value: spec.strategy?.refreshPolicy },
    { path: 'spec.refreshPolicy', value: spec.refreshPolicy },
  );
  validateTicks(found, spec, context.fromMs);
  validateSelector(found, order);
  validateTemplate(found, order, context);
}

function validateTicks(found: Findings, spec: OrderSpec, fromMs: number): void {
  const strategy: OrderStrategy = spec.strategy ?? {};
  const { type, schedule, timeZone } = strategy;
  const windowZone = spec.template?.spec?.window?.timeZone;
  validateTimeZone(found, timeZone, 'spec.strategy.timeZone');
  validateAgree(
    found,
    { path: 'spec.strategy.timeZone', value: timeZone },
    { path: 'spec.template.spec.window.timeZone', value: windowZone },
    (zone) => (isZone(zone) ? zone : undefined),
  );
  if (type === 'Scheduled' || type === 'Recurring') {
    if (!schedule) {
      const text = `${type} acts at the ticks of a schedule; write one, such as 0 */6 * * *, or use type OneTime`;
      found.push(required('spec.strategy.schedule', text));
    } else validateScheduleInZone(found, schedule, timeZone, windowZone, fromMs);
  } else if (type === undefined && schedule !== undefined) {
    found.push(required('spec.strategy.type', 'a schedule needs type Scheduled or Recurring'));
  } else if (type === 'OneTime') {
    const fix = 'OneTime has no ticks; remove it, or use type Scheduled or Recurring';
    if (schedule !== undefined) found.push(forbidden('spec.strategy.schedule', fix));
    if (timeZone !== undefined) found.push(forbidden('spec.strategy.timeZone', fix));
    if (windowZone !== undefined) found.push(forbidden('spec.template.spec.window.timeZone', fix));
  }
}

function validateScheduleInZone(
  found: Findings,
  schedule: string,
  timeZone: string | undefined,
  windowZone: string | undefined,
  fromMs: number,
): void {
  const path = 'spec.strategy.schedule';
  validateSchedule(found, schedule, { timeZone: timeZone ?? windowZone, fromMs }, path);
  const own = zoneInSchedule(schedule);
  for (const [at, zone] of [
    ['spec.strategy.timeZone', timeZone],
    ['spec.template.spec.window.timeZone', windowZone],
  ] as const) {
    if (own === undefined || zone === undefined || own === zone) continue;
    found.push(
      invalid(path, schedule, `its time zone ${own} contradicts ${at}, which is ${zone}; remove one of the two`),
    );
  }
}

function validateSelector(found: Findings, { metadata, spec }: Order): void {
  const selector = spec?.selector;
  if (selector === undefined) return;
  const path = 'spec.selector';
  const problems = selectorFindings(selector, path);
  addAll(found, problems);
  if (isEmptySelector(selector)) {
    found.push(
      invalid(
        path,
        selector,
        'an empty selector would select every Ticket; name labels of the template, or leave it out',
      ),
    );
  } else if (problems.length === 0) {
    const labels = { ...spec?.template?.metadata?.labels, [RESERVATION_LABELS.order]: metadata.name };
    if (compiled(selector)?.matches(labels) === true) return;
    const text = 'does not match spec.template.metadata.labels; give the template these labels, or leave selector out';
    found.push(invalid(path, selector, text));
  }
}

function validateTemplate(found: Findings, order: Order, context: TicketContext): void {
  const { template } = order.spec ?? {};
  const path = 'spec.template.spec';
  if (template?.spec === undefined) {
    const at = template === undefined ? 'spec.template' : path;
    found.push(required(at, 'says what each Ticket reserves; write at least spec.template.spec.resources.requests'));
  } else {
    validateTicketSpec(found, template.spec, context, path);
    if (template.spec.nodeName && orderPlan(order.spec).daemonSet) {
      const text = 'a daemonSet Order chooses its nodes by nodeSelector, affinity and tolerations; remove nodeName';
      found.push(forbidden(`${path}.nodeName`, text));
    }
  }
  if (template?.metadata !== undefined) validateTemplateMeta(found, template.metadata, order.metadata.namespace ?? '');
}

function validateTemplateMeta(found: Findings, metadata: TicketTemplateMetadata, namespace: string): void {
  const path = 'spec.template.metadata';
  addAll(found, validateLabels(metadata.labels, `${path}.labels`));
  addAll(found, validateAnnotations(metadata.annotations, `${path}.annotations`));
  if (metadata.name) found.push(forbidden(`${path}.name`, 'Tickets are named after Order and node; remove it'));
  if (metadata.namespace && metadata.namespace !== namespace) {
    const text = `Tickets are in the namespace of their Order, ${namespace}; remove it`;
    found.push(invalid(`${path}.namespace`, metadata.namespace, text));
  }
  if (metadata.finalizers !== undefined && metadata.finalizers.length > 0) {
    found.push(forbidden(`${path}.finalizers`, 'finalizers would keep Tickets on nodes that are gone; remove them'));
  }
}
