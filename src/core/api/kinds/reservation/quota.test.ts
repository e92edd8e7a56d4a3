import { describe, expect, it } from 'vitest';
import { changeRefusals, decoded, quotaOf, refusals } from './testing/orders.ts';

const NAMES = '"orders", "tickets", "reserved.<resource>", "max-duration"';

describe('a Quota', () => {
  it.each([
    ['of the whole cluster', {}],
    [
      'of every amount there is',
      { hard: { orders: 3, tickets: '1k', 'reserved.cpu': '1500m', 'reserved.nvidia.com/gpu': 2 } },
    ],
    ['with the longest duration as text', { hard: { 'max-duration': '24h' } }],
    ['with the longest duration in seconds', { hard: { 'max-duration': 604800 } }],
    ['with the longest duration in seconds as text', { hard: { 'max-duration': '604800' } }],
    ['of some namespaces', { scope: { type: 'NamespaceList', namespaces: ['a', 'b'] } }],
    [
      'of namespaces by label',
      { scope: { type: 'NamespaceSelector', namespaceSelector: { matchLabels: { a: 'b' } } } },
    ],
    ['with time windows', { timeWindows: [{ name: 'night', schedule: '0 22 * * *', multiplier: '1.5' }] }],
    ['with shares', { allocation: [{ namespace: 'a', limits: { tickets: '10' } }] }],
  ])('may be one %s', (_, spec) => {
    expect(refusals(quotaOf(spec))).toEqual([]);
  });

  it('counts the whole cluster unless it says otherwise', () => {
    expect(decoded(quotaOf()).spec.scope).toEqual({ type: 'Cluster' });
    const scoped = quotaOf({ scope: { type: 'NamespaceList', namespaces: ['a'] } });
    expect(decoded(scoped)).toBe(scoped);
  });

  it.each<[string, object, readonly string[]]>([
    [
      'without amounts',
      { hard: undefined },
      ['spec.hard: Required value: write at least one of orders, tickets, reserved.<resource>, max-duration'],
    ],
    [
      'with empty amounts',
      { hard: {} },
      ['spec.hard: Required value: write at least one of orders, tickets, reserved.<resource>, max-duration'],
    ],
    [
      'with amounts that are none',
      {
        hard: {
          cpu: '1',
          orders: -1,
          tickets: '1.5',
          'reserved.memory': 'much',
          'reserved.disk': 1,
          'max-duration': '0h',
        },
      },
      [
        `spec.hard[cpu]: Unsupported value: "cpu": supported values: ${NAMES}`,
        'spec.hard[orders]: Invalid value: -1: must be greater than or equal to 0',
        'spec.hard[tickets]: Invalid value: "1.5": must be an integer',
        expect.stringMatching(
          /^spec\.hard\[reserved\.memory\]: Invalid value: "much": .*; write an amount, such as 100 or 2Ti$/,
        ),
        'spec.hard[reserved.disk]: Invalid value: "disk": must be a standard resource type or fully qualified',
        'spec.hard[reserved.disk]: Invalid value: "disk": must be a standard resource for containers',
        'spec.hard[max-duration]: Invalid value: "0h": must be a duration above zero, such as 24h, or a number of seconds',
      ] as readonly string[],
    ],
    [
      'with amounts of other types',
      { hard: { orders: null, 'max-duration': true } },
      [
        'spec.hard[orders]: Invalid value: null: must be an amount, such as 100 or 2Ti',
        'spec.hard[max-duration]: Invalid value: true: must be a duration above zero, such as 24h, or a number of seconds',
      ],
    ],
    [
      'of an unknown scope',
      { scope: { type: 'Galaxy' } },
      [
        'spec.scope.type: Unsupported value: "Galaxy": supported values: "Cluster", "NamespaceSelector", "NamespaceList", "ObjectSelector"',
      ],
    ],
    [
      'of a scope that lacks its part',
      { scope: { type: 'NamespaceList' } },
      ['spec.scope.namespaces: Required value: type NamespaceList needs it'],
    ],
    [
      'of a scope that contradicts itself',
      { scope: { namespaces: ['a'], objectSelector: { matchLabels: { a: 'b' } } } },
      [
        'spec.scope.namespaces: Forbidden: does not go with type Cluster; remove it, or use type NamespaceList',
        'spec.scope.objectSelector: Forbidden: does not go with type Cluster; remove it, or use type ObjectSelector',
      ],
    ],
    [
      'of everything by selector',
      { scope: { type: 'ObjectSelector', objectSelector: {} } },
      ['spec.scope.objectSelector: Invalid value: {}: an empty selector selects everything; use type Cluster for that'],
    ],
    [
      'of namespaces that cannot be',
      { scope: { type: 'NamespaceList', namespaces: ['a', 'a', 'B'] } },
      [
        'spec.scope.namespaces[1]: Duplicate value: "a"',
        expect.stringMatching(/^spec\.scope\.namespaces\[2\]: Invalid value: "B": a lowercase RFC 1123 label/),
      ] as readonly string[],
    ],
    [
      'with windows that cannot be',
      {
        timeWindows: [
          { name: 'a', schedule: '0 0 31 2 *', multiplier: '0' },
          { name: 'a', schedule: 'TZ=Nowhere @daily', multiplier: '-1' },
          { name: '' },
        ],
      },
      [
        'spec.timeWindows[0].schedule: Invalid value: "0 0 31 2 *": never comes: no month has such a day; name a day that exists',
        'spec.timeWindows[0].multiplier: Invalid value: "0": must be a decimal number above zero, such as 1.5',
        'spec.timeWindows[1].name: Duplicate value: "a"',
        'spec.timeWindows[1].schedule: Invalid value: "TZ=Nowhere @daily": unknown time zone Nowhere; write a name of the IANA database, such as Europe/Berlin, or leave it out for UTC',
        'spec.timeWindows[1].multiplier: Invalid value: "-1": must be a decimal number above zero, such as 1.5',
        'spec.timeWindows[2].name: Required value: the status names the active window',
        'spec.timeWindows[2].schedule: Required value: write when the window begins, such as 0 22 * * *',
        'spec.timeWindows[2].multiplier: Required value: write a number, such as 1.5',
      ],
    ],
    [
      'with shares above the whole',
      {
        scope: { type: 'NamespaceList', namespaces: ['a'] },
        allocation: [
          { namespace: 'a', limits: { tickets: '11', 'max-duration': '1' } },
          { namespace: 'b', limits: {} },
        ],
      },
      [
        'spec.allocation[0].limits[tickets]: Invalid value: "11": must not be above spec.hard[tickets], which is 10',
        'spec.allocation[0].limits[max-duration]: Unsupported value: "max-duration": supported values: "orders", "tickets", "reserved.<resource>"',
        'spec.allocation[1].namespace: Invalid value: "b": must be one of spec.scope.namespaces; add it there',
        'spec.allocation[1].limits: Required value: write at least one of orders, tickets, reserved.<resource>',
      ],
    ],
  ])('%s is refused, with what to do', (_, spec, expected) => {
    expect(refusals(quotaOf(spec))).toEqual(expected);
  });

  it('keeps the type of its scope', () => {
    const listed = quotaOf({ scope: { type: 'NamespaceList', namespaces: ['a'] } });
    expect(changeRefusals(quotaOf(), listed)).toEqual([
      'spec.scope.type: Invalid value: "Cluster": field is immutable (it is NamespaceList); make another Quota',
    ]);
    expect(changeRefusals(quotaOf({ hard: { orders: 1 } }), quotaOf())).toEqual([]);
  });
});
