import { describe, expect, it } from 'vitest';
import { changeRefusals, decoded, orderOf, refusals, warnings } from './testing/orders.ts';
import { PUBLISHED, published } from './testing/published.ts';

const scheduled = (strategy: object, ticket: object = {}) =>
  orderOf({ strategy: { type: 'Scheduled', ...strategy } }, ticket);
const CRON = 'write minute, hour, day, month and weekday, such as 0 */6 * * *';
const DURATION = 'write hours, minutes and seconds, such as 24h or 1h30m';
const ZONE = 'write a name of the IANA database, such as Europe/Berlin, or leave it out for UTC';
const REQUESTS =
  'spec.template.spec.resources.requests: Required value: without requests no room is reserved; name a resource and an amount above zero, such as cpu: 100m';
const ANOTHER = 'make another Order, and delete this one once that is Ready';

describe('an Order', () => {
  it.each(PUBLISHED)('may be the published example %s', (name) => {
    const order = published(name);
    const filled = { ...order, metadata: { ...order.metadata, ...orderOf().metadata, name } };
    expect(refusals(filled)).toEqual([]);
    expect(warnings(filled)).toEqual([]);
    // No field is added to it.
    expect(Object.keys(decoded(filled).spec)).toEqual(Object.keys(order.spec));
    expect(decoded(filled).spec.strategy).toEqual(order.spec.strategy);
  });

  it.each([
    ['without a strategy', orderOf()],
    ['in the later shape', orderOf({ refreshPolicy: 'Never', minReadySeconds: 3 }, { window: { duration: '2h' } })],
    ['with both shapes that agree', orderOf({}, { duration: '1h', window: { duration: '60m' } })],
    ['with a strategy that only refreshes', orderOf({ strategy: { refreshPolicy: 'Always' } })],
    ['with a time zone in the schedule', scheduled({ schedule: 'CRON_TZ=Europe/Berlin 0 8 * * *' })],
    ['with the same time zone twice', scheduled({ schedule: 'TZ=UTC @daily', timeZone: 'UTC' })],
    ['with a schedule that comes every four years', scheduled({ schedule: '0 0 29 2 *' })],
    ['that starts at its creation', orderOf({}, { startTime: '2026-03-01T13:00:00+01:00' })],
    [
      'with a selector of its template',
      orderOf({
        selector: { matchLabels: { app: 'x' } },
        template: { metadata: { labels: { app: 'x' }, namespace: 'default' }, spec: orderOf().spec.template?.spec },
      }),
    ],
    [
      'with a selector of the label that all its Tickets have',
      orderOf({ selector: { matchLabels: { 'korder.dev/order': 'buffer' } } }),
    ],
    [
      'with annotations of ours',
      orderOf(
        {},
        {},
        { annotations: { 'everynode.dev/node-grace': '90s', 'everynode.dev/rollout-max-unavailable': '10%' } },
      ),
    ],
  ])('may be one %s', (_, order) => {
    expect(refusals(order)).toEqual([]);
  });

  it('has one Ticket unless it says how many, or has one on every node', () => {
    expect(decoded(orderOf()).spec.replicas).toBe(1);
    expect(decoded(orderOf({ replicas: 0 })).spec.replicas).toBe(0);
    expect(decoded(orderOf({ daemonSet: true })).spec.replicas).toBeUndefined();
  });

  it.each<[string, object, readonly string[]]>([
    [
      'without a template',
      { ...orderOf(), spec: {} },
      [
        'spec.template: Required value: says what each Ticket reserves; write at least spec.template.spec.resources.requests',
      ],
    ],
    [
      'with an empty template',
      orderOf({ template: {} }),
      [
        'spec.template.spec: Required value: says what each Ticket reserves; write at least spec.template.spec.resources.requests',
      ],
    ],
    ['without requests', orderOf({}, { resources: {} }), [REQUESTS]],
    ['with limits alone', orderOf({}, { resources: { limits: { cpu: '1' } } }), [REQUESTS]],
    ['with requests of nothing', orderOf({}, { resources: { requests: { cpu: 0, memory: '0Gi' } } }), [REQUESTS]],
    [
      'with requests above limits',
      orderOf({}, { resources: { requests: { cpu: '2', memory: '1Gi' }, limits: { cpu: '1', memory: '512Mi' } } }),
      [
        'spec.template.spec.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
        'spec.template.spec.resources.requests: Invalid value: "1Gi": must be less than or equal to memory limit of 512Mi',
      ],
    ],
    [
      'with devices of claims',
      orderOf({}, { resources: { requests: { cpu: '1' }, claims: [{ name: 'gpu' }] } }),
      ['spec.template.spec.resources.claims: Forbidden: devices of a ResourceClaim cannot be reserved; remove it'],
    ],
    [
      'of negative size',
      orderOf({ replicas: -1, minReadySeconds: -2 }),
      [
        'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
        'spec.minReadySeconds: Invalid value: -2: must be greater than or equal to 0',
      ],
    ],
    [
      'that starts in the past',
      orderOf({}, { startTime: '2026-03-01T11:59:59Z' }),
      [
        'spec.template.spec.startTime: Invalid value: "2026-03-01T11:59:59Z": must not be in the past (it is 2026-03-01T12:00:00Z); name a later time, or leave it out to begin at once',
      ],
    ],
    [
      'whose window starts in the past',
      orderOf({}, { window: { startTime: '2020-01-01T00:00:00Z' } }),
      [
        'spec.template.spec.window.startTime: Invalid value: "2020-01-01T00:00:00Z": must not be in the past (it is 2026-03-01T12:00:00Z); name a later time, or leave it out to begin at once',
      ],
    ],
    [
      'with a start that is none',
      orderOf({}, { startTime: 'tomorrow' }),
      [
        'spec.template.spec.startTime: Invalid value: "tomorrow": parsing time "tomorrow" as "2006-01-02T15:04:05Z07:00": cannot parse "tomorrow" as "2006"; write RFC 3339, such as 2030-01-31T08:00:00Z',
      ],
    ],
    [
      'that ends beyond the calendar',
      orderOf({}, { startTime: '9999-12-31T00:00:00Z', duration: '48h' }),
      ['spec.template.spec.startTime: Invalid value: "9999-12-31T00:00:00Z": must end before the year 10000'],
    ],
    [
      'for no time',
      orderOf({}, { duration: '0s' }),
      ['spec.template.spec.duration: Invalid value: "0s": must be at least 1s, such as 24h'],
    ],
    [
      'for less than no time',
      orderOf({}, { window: { duration: '-1h' } }),
      ['spec.template.spec.window.duration: Invalid value: "-1h": must be at least 1s, such as 24h'],
    ],
    [
      'for some time',
      orderOf({}, { duration: '1 day' }),
      [
        `spec.template.spec.duration: Invalid value: "1 day": time: unknown unit " day" in duration "1 day"; ${DURATION}`,
      ],
    ],
    [
      'without a schedule',
      scheduled({}),
      [
        'spec.strategy.schedule: Required value: Scheduled acts at the ticks of a schedule; write one, such as 0 */6 * * *, or use type OneTime',
      ],
    ],
    [
      'with an empty schedule',
      orderOf({ strategy: { type: 'Recurring', schedule: '' } }),
      [
        'spec.strategy.schedule: Required value: Recurring acts at the ticks of a schedule; write one, such as 0 */6 * * *, or use type OneTime',
      ],
    ],
    [
      'with a schedule that is not asked for',
      orderOf({ strategy: { type: 'OneTime', schedule: '@daily', timeZone: 'UTC' } }),
      [
        'spec.strategy.schedule: Forbidden: OneTime has no ticks; remove it, or use type Scheduled or Recurring',
        'spec.strategy.timeZone: Forbidden: OneTime has no ticks; remove it, or use type Scheduled or Recurring',
      ],
    ],
    [
      'with a time zone that is not asked for, in the other shape',
      orderOf({ strategy: { type: 'OneTime' } }, { window: { timeZone: 'UTC' } }),
      [
        'spec.template.spec.window.timeZone: Forbidden: OneTime has no ticks; remove it, or use type Scheduled or Recurring',
      ],
    ],
    [
      'with a blank scheduler',
      orderOf({}, { schedulerName: '  ' }),
      [expect.stringMatching(/^spec\.template\.spec\.schedulerName: Invalid value: " {2}": name part must consist of/)],
    ],
    [
      'with a schedule of no type',
      orderOf({ strategy: { schedule: '@daily' } }),
      ['spec.strategy.type: Required value: a schedule needs type Scheduled or Recurring'],
    ],
    [
      'with a schedule that is none',
      scheduled({ schedule: '61 * * * *' }),
      [`spec.strategy.schedule: Invalid value: "61 * * * *": end of range (61) above maximum (59): 61; ${CRON}`],
    ],
    [
      'with a schedule that never comes',
      scheduled({ schedule: '0 0 30 2 *' }),
      [
        'spec.strategy.schedule: Invalid value: "0 0 30 2 *": never comes: no month has such a day; name a day that exists',
      ],
    ],
    [
      'with ticks without a pause',
      scheduled({ schedule: '@every 0s' }),
      ['spec.strategy.schedule: Invalid value: "@every 0s": must be at least a second apart, such as @every 6h'],
    ],
    [
      'in an unknown time zone',
      scheduled({ schedule: '@daily', timeZone: 'Mars/Olympus' }),
      [`spec.strategy.timeZone: Invalid value: "Mars/Olympus": unknown time zone; ${ZONE}`],
    ],
    [
      'in no time zone',
      scheduled({ schedule: '@daily', timeZone: '' }, { window: { timeZone: '+01:00' } }),
      [
        `spec.strategy.timeZone: Invalid value: "": unknown time zone; ${ZONE}`,
        `spec.template.spec.window.timeZone: Invalid value: "+01:00": unknown time zone; ${ZONE}`,
      ],
    ],
    [
      'with a schedule in the time zone of a machine',
      scheduled({ schedule: 'TZ=Local 0 0 * * *' }),
      [`spec.strategy.schedule: Invalid value: "TZ=Local 0 0 * * *": unknown time zone Local; ${ZONE}`],
    ],
    [
      'with three time zones',
      scheduled({ schedule: 'CRON_TZ=Asia/Tokyo @daily', timeZone: 'UTC' }, { window: { timeZone: 'Europe/Berlin' } }),
      [
        'spec.template.spec.window.timeZone: Invalid value: "Europe/Berlin": contradicts spec.strategy.timeZone, which is UTC; remove one of the two',
        'spec.strategy.schedule: Invalid value: "CRON_TZ=Asia/Tokyo @daily": its time zone Asia/Tokyo contradicts spec.strategy.timeZone, which is UTC; remove one of the two',
        'spec.strategy.schedule: Invalid value: "CRON_TZ=Asia/Tokyo @daily": its time zone Asia/Tokyo contradicts spec.template.spec.window.timeZone, which is Europe/Berlin; remove one of the two',
      ],
    ],
    [
      'of two minds',
      orderOf(
        { strategy: { refreshPolicy: 'Always' }, refreshPolicy: 'Never' },
        {
          ...{
            duration: '24h',
            startTime: '2030-01-01T00:00:00Z',
            ttlSecondsAfterFinished: 1,
            cleanupPolicy: 'Delete',
          },
          window: { duration: '8h', startTime: '2031-01-01T00:00:00Z' },
          lifecycle: { ttlSecondsAfterFinished: 2, cleanupPolicy: 'Retain' },
        },
      ),
      [
        'spec.refreshPolicy: Invalid value: "Never": contradicts spec.strategy.refreshPolicy, which is Always; remove one of the two',
        'spec.template.spec.window.duration: Invalid value: "8h": contradicts spec.template.spec.duration, which is 24h; remove one of the two',
        'spec.template.spec.window.startTime: Invalid value: "2031-01-01T00:00:00Z": contradicts spec.template.spec.startTime, which is 2030-01-01T00:00:00Z; remove one of the two',
        'spec.template.spec.lifecycle.ttlSecondsAfterFinished: Invalid value: 2: contradicts spec.template.spec.ttlSecondsAfterFinished, which is 1; remove one of the two',
        'spec.template.spec.lifecycle.cleanupPolicy: Invalid value: "Retain": contradicts spec.template.spec.cleanupPolicy, which is Delete; remove one of the two',
      ],
    ],
    [
      'with words that nobody knows',
      orderOf(
        { strategy: { type: 'Sometimes', refreshPolicy: 'Maybe' }, refreshPolicy: 'Maybe' },
        { cleanupPolicy: 'Keep', lifecycle: { cleanupPolicy: 'Keep' } },
      ),
      [
        'spec.refreshPolicy: Unsupported value: "Maybe": supported values: "Always", "OnClaim", "Never"',
        'spec.strategy.type: Unsupported value: "Sometimes": supported values: "OneTime", "Scheduled", "Recurring"',
        'spec.strategy.refreshPolicy: Unsupported value: "Maybe": supported values: "Always", "OnClaim", "Never"',
        'spec.template.spec.cleanupPolicy: Unsupported value: "Keep": supported values: "Delete", "Retain"',
        'spec.template.spec.lifecycle.cleanupPolicy: Unsupported value: "Keep": supported values: "Delete", "Retain"',
      ],
    ],
    [
      'kept for less than no time',
      orderOf({}, { ttlSecondsAfterFinished: -1, lifecycle: { ttlSecondsAfterFinished: -1 } }),
      [
        'spec.template.spec.ttlSecondsAfterFinished: Invalid value: -1: must be greater than or equal to 0',
        'spec.template.spec.lifecycle.ttlSecondsAfterFinished: Invalid value: -1: must be greater than or equal to 0',
      ],
    ],
    [
      'with more replicas than a controller keeps places for',
      orderOf({ replicas: 2_147_483_647 }),
      ['spec.replicas: Invalid value: 2147483647: must be at most 100000'],
    ],
    [
      'with an empty selector',
      orderOf({ selector: {} }),
      [
        'spec.selector: Invalid value: {}: an empty selector would select every Ticket; name labels of the template, or leave it out',
      ],
    ],
    [
      'with a selector that misses the template',
      orderOf({ selector: { matchLabels: { app: 'x' } } }),
      [
        'spec.selector: Invalid value: {"matchLabels":{"app":"x"}}: does not match spec.template.metadata.labels; give the template these labels, or leave selector out',
      ],
    ],
    [
      'with a selector that is none',
      orderOf({ selector: { matchExpressions: [{ key: 'app', operator: 'Is' }] } }),
      ['spec.selector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator'],
    ],
    [
      'whose template names its Tickets',
      orderOf({
        template: {
          metadata: { name: 'x', namespace: 'other', finalizers: ['a.b/c'] },
          spec: orderOf().spec.template?.spec,
        },
      }),
      [
        'spec.template.metadata.name: Forbidden: Tickets are named after Order and node; remove it',
        'spec.template.metadata.namespace: Invalid value: "other": Tickets are in the namespace of their Order, default; remove it',
        'spec.template.metadata.finalizers: Forbidden: finalizers would keep Tickets on nodes that are gone; remove them',
      ],
    ],
    [
      'for every node and one node',
      orderOf({ daemonSet: true }, { nodeName: 'n1' }),
      [
        'spec.template.spec.nodeName: Forbidden: a daemonSet Order chooses its nodes by nodeSelector, affinity and tolerations; remove nodeName',
      ],
    ],
    [
      'with annotations that cannot be read',
      orderOf(
        {},
        {},
        { annotations: { 'everynode.dev/node-grace': '0s', 'everynode.dev/rollout-max-unavailable': '0' } },
      ),
      [
        'metadata.annotations[everynode.dev/node-grace]: Invalid value: "0s": must be a duration above zero, such as 5m',
        'metadata.annotations[everynode.dev/rollout-max-unavailable]: Invalid value: "0": must be a number above zero, such as 1, or a percentage from 1% to 100%',
      ],
    ],
    [
      'with a name that is no label',
      orderOf({}, {}, { name: 'a'.repeat(64) }),
      [
        `metadata.name: Invalid value: "${'a'.repeat(64)}": must be no more than 63 characters, to fit the label korder.dev/order`,
      ],
    ],
    [
      'that asks for impossible nodes',
      orderOf(
        {},
        {
          nodeSelector: { 'a b': 'c' },
          tolerations: [{ operator: 'Equal' }],
          affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
          topologySpreadConstraints: [{ maxSkew: 0, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
          priorityClassName: 'No_',
        },
      ),
      [
        expect.stringMatching(/^spec\.template\.spec\.priorityClassName: Invalid value: "No_": a lowercase RFC 1123/),
        expect.stringMatching(/^spec\.template\.spec\.nodeSelector: Invalid value: "a b": name part must consist/),
        'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term',
        'spec.template.spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
        'spec.template.spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
      ] as readonly string[],
    ],
  ])('%s is refused, with what to do', (_, order, expected) => {
    expect(refusals(order as ReturnType<typeof orderOf>)).toEqual(expected);
  });

  it('gets every finding at once', () => {
    const found = refusals(
      orderOf(
        { replicas: -1, strategy: { type: 'OneTime', schedule: '@daily' }, selector: {} },
        { duration: '0s', startTime: '2020-01-01T00:00:00Z', resources: {} },
      ),
    );
    expect(found.map((text) => text.slice(0, text.indexOf(':')))).toEqual([
      'spec.replicas',
      'spec.strategy.schedule',
      'spec.selector',
      'spec.template.spec.duration',
      'spec.template.spec.startTime',
      'spec.template.spec.resources.requests',
    ]);
  });

  it('with replicas beside daemonSet is told that they have no effect', () => {
    const beside = orderOf({ daemonSet: true, replicas: 3 });
    expect(refusals(beside)).toEqual([]);
    const text =
      'spec.replicas: has no effect beside daemonSet: true, which has one Ticket per eligible node; remove it';
    expect(warnings(beside)).toEqual([text]);
    expect(warnings(beside, orderOf({ daemonSet: true }))).toEqual([text]);
    // Once for each change.
    expect(warnings(beside, beside)).toEqual([]);
  });

  it('that keeps finished Tickets is told that their time to live has no effect', () => {
    expect(warnings(orderOf({}, { lifecycle: { cleanupPolicy: 'Retain', ttlSecondsAfterFinished: 9 } }))).toEqual([
      'spec.template.spec.lifecycle.ttlSecondsAfterFinished: has no effect with cleanupPolicy Retain, which keeps finished Tickets',
    ]);
  });
});

describe('a change of an Order', () => {
  it('may be one of template, replicas, schedule and refresh policy', () => {
    const old = scheduled({ schedule: '@daily' });
    const spec = { replicas: 7, strategy: { type: 'Scheduled', schedule: '@hourly', refreshPolicy: 'Never' } };
    expect(changeRefusals(orderOf(spec, { duration: '1h', nodeSelector: { a: 'b' } }), old)).toEqual([]);
  });

  it('is refused where Tickets would be made at other times', () => {
    expect(changeRefusals(scheduled({ schedule: '@daily' }), orderOf())).toEqual([
      `spec.strategy.type: Invalid value: "Scheduled": field is immutable (it is OneTime): ${ANOTHER}`,
    ]);
    // Absent means OneTime.
    expect(changeRefusals(orderOf({ strategy: { type: 'OneTime' } }), orderOf())).toEqual([]);
  });

  it('is refused between Tickets on every node and a number of them', () => {
    const text = `field is immutable: Tickets for every node and numbered ones have different names; ${ANOTHER}`;
    expect(changeRefusals(orderOf({ daemonSet: true }), orderOf())).toEqual([
      `spec.daemonSet: Invalid value: true: ${text}`,
    ]);
    expect(changeRefusals(orderOf(), orderOf({ daemonSet: true }))).toEqual([
      `spec.daemonSet: Invalid value: null: ${text}`,
    ]);
    expect(changeRefusals(orderOf({ daemonSet: false }), orderOf())).toEqual([]);
  });

  it('is refused where Tickets would be let go', () => {
    const of = (app: string) => {
      const labels = { app, other: 'x' };
      const { spec } = orderOf().spec.template ?? {};
      return orderOf({ selector: { matchLabels: { app } }, template: { metadata: { labels }, spec } });
    };
    const text =
      'field is immutable: Tickets that another selector misses would be let go with their guardians; make another Order with this selector, and delete this one once that is Ready; or, to keep the Tickets, delete this one with --cascade=orphan and create it again with a selector that matches them';
    expect(changeRefusals(of('b'), of('a'))).toEqual([
      `spec.selector: Invalid value: {"matchLabels":{"app":"b"}}: ${text}`,
    ]);
    expect(changeRefusals(of('b'), orderOf())).toHaveLength(1);
    expect(changeRefusals(orderOf(), of('b'))).toEqual([`spec.selector: Invalid value: null: ${text}`]);
    expect(changeRefusals(of('a'), of('a'))).toEqual([]);
  });

  it('leaves a start alone that has come, and refuses a new one that has', () => {
    const begun = { startTime: '2020-01-01T00:00:00Z' };
    expect(changeRefusals(orderOf({ replicas: 2 }, begun), orderOf({}, begun))).toEqual([]);
    expect(changeRefusals(orderOf({}, begun), orderOf())).toEqual([expect.stringContaining('must not be in the past')]);
  });

  it('of metadata is not held back by a spec or annotation that rules of today refuse', () => {
    const old = orderOf({}, { resources: {} }, { annotations: { 'everynode.dev/node-grace': 'long' } });
    const labelled = { ...old, metadata: { ...old.metadata, labels: { a: 'b' } } };
    expect(changeRefusals(labelled, old)).toEqual([]);
    const graced = { ...old, metadata: { ...old.metadata, annotations: { 'everynode.dev/node-grace': 'longer' } } };
    expect(changeRefusals(graced, old)).toEqual([expect.stringContaining('must be a duration above zero')]);
  });

  it('of the status may not count below zero, and has whole conditions', () => {
    const old = orderOf();
    const conditions = [
      { type: 'Ready', status: 'Perhaps', reason: '', message: '', lastTransitionTime: '2026-03-01T12:00:00Z' },
    ];
    expect(changeRefusals({ ...old, status: { replicas: -1, conditions } } as typeof old, old, 'status')).toEqual([
      'status.replicas: Invalid value: -1: must be greater than or equal to 0',
      'status.conditions[0].status: Unsupported value: "Perhaps": supported values: "False", "True", "Unknown"',
      'status.conditions[0].reason: Required value',
    ]);
  });
});
