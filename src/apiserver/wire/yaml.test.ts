import { describe, expect, it } from 'vitest';
import { realClock } from '../../machinery/real-clock.ts';
import { parseYaml } from './parse-yaml.ts';
import { decodeYaml } from './yaml.ts';

describe('YAML bodies', () => {
  it('read as Kubernetes reads them', () => {
    expect(parseYaml('a: yes\nb: true\nc: 0o17\nd: 1.5\ne: ~\nf: 9007199254740993\n')).toEqual({
      a: 'yes',
      b: true,
      c: 15,
      d: 1.5,
      e: null,
      f: 9007199254740993n,
    });
  });

  it('keep hostile keys as plain data', () => {
    const value = parseYaml('__proto__: {polluted: true}\nconstructor: x\n') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('refuse duplicate keys, several documents, and alias bombs, saying where', () => {
    expect(() => parseYaml('a: 1\na: 2\n')).toThrow(/line 2/);
    expect(() => parseYaml('a: 1\n---\nb: 2\n')).toThrow(/document/);
    const bomb = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i < 9; i += 1)
      bomb.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(',')}]`,
      );
    expect(() => parseYaml(bomb.join('\n'))).toThrow(/alias/i);
    expect(() => parseYaml('['.repeat(600) + ']'.repeat(600))).toThrow(/nested deeper/);
    expect(() => parseYaml(`[${'['.repeat(20_000)}`)).toThrow(/nested too deep|line 1/);
    expect(() => parseYaml('a: &a [*a, *a]')).toThrow(/nested deeper/);
    expect(() => parseYaml(`a: &a [${'x,'.repeat(3000)}]\nb: [${'*a,'.repeat(90)}]`)).toThrow(/aliases/);
  });

  it('find a key given twice among very many, wherever it is', () => {
    const keys = Array.from({ length: 5000 }, (_, i) => `    k${i}: v`).join('\n');
    expect(() => parseYaml(`a:\n  - b:\n${keys}\n    k0: again\n`)).toThrow(/unique at line 5003, column 5/);
  });

  it('refuse numbers that JSON does not have', () => {
    for (const text of ['.nan', '.inf', '-.inf', '[1e999]']) expect(() => parseYaml(text)).toThrow(/no number/);
  });

  it('read large texts off the main thread', async () => {
    const text = Array.from({ length: 2000 }, (_, i) => `key${i}: value ${i}`).join('\n');
    expect(await decodeYaml(text, realClock)).toMatchObject({ key1999: 'value 1999' });
    await expect(decodeYaml(`${text}\nbroken: [`, realClock)).rejects.toThrow(/line 200/);
  });
});
