import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkObject } from '../check.ts';
import { ProtobufError } from '../../errors.ts';
import { objectOf as object } from '../testing/arbitrary-objects.ts';
import { typeNames, typeSchema } from '../type-schema.ts';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';
import { decodeProtobufObject } from './envelope.ts';

const messages = typeNames().filter((name) => {
  const { nested } = typeSchema(name);
  return nested.length > 0 && nested.every((field) => field.number > 0);
});
const anyMessage = fc.constantFrom(...messages).chain((name) => fc.tuple(fc.constant(name), object(name, 0)));

describe('any object of any type', () => {
  it('survives protobuf', () => {
    fc.assert(
      fc.property(anyMessage, ([name, members]) => {
        const checked = checkObject(name, members);
        expect(checked.error).toBeUndefined();
        const decoded = decodeMessage(name, encodeMessage(name, checked.object));
        expect(decoded).toEqual(checked.object);
        expect(checkObject(name, decoded).object).toBe(decoded);
      }),
      { numRuns: 1500 },
    );
  });
});

describe('malformed protobuf', () => {
  /** True if the bytes were read, or refused with the error that says so. */
  const readOrRefused = (read: () => object): boolean => {
    try {
      return typeof read() === 'object';
    } catch (error) {
      return error instanceof ProtobufError;
    }
  };

  it('is refused or read, whatever bytes are changed or cut off', () => {
    fc.assert(
      fc.property(
        anyMessage,
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }),
        fc.option(fc.nat()),
        ([name, members], changes, cut) => {
          const bytes = Buffer.from(encodeMessage(name, checkObject(name, members).object));
          for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
          const end = cut === null ? bytes.length : cut % (bytes.length + 1);
          expect(readOrRefused(() => decodeMessage(name, bytes.subarray(0, end)))).toBe(true);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('is refused when its time lies beyond the years that can be written', () => {
    const seconds = Buffer.from([0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x08]);
    const bytes = Buffer.concat([Buffer.from([0x12, seconds.length]), seconds]);
    expect(() => decodeMessage('autoscaling/v1.HorizontalPodAutoscalerStatus', bytes)).toThrow(ProtobufError);
  });

  it('is refused or read when it is noise', () => {
    fc.assert(
      fc.property(fc.constantFrom(...messages), fc.uint8Array({ maxLength: 64 }), (name, bytes) => {
        expect(readOrRefused(() => decodeMessage(name, bytes))).toBe(true);
        const framed = Buffer.concat([Buffer.from('k8s\0'), bytes]);
        expect(readOrRefused(() => decodeProtobufObject(framed))).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });
});
