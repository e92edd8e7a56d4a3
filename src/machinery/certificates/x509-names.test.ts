import { X509Certificate } from 'node:crypto';
import { property, assert, uint8Array, nat } from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { readCertificateRequest, signCertificateRequest } from './certificate-requests.ts';
import { createAuthority, type KeyPair } from './certificates.ts';
import {
  alternativeNames,
  attribute,
  der,
  forgeCertificate,
  forgeRequest,
  nameOf,
  TAG,
} from '../testing/forged-certificates.ts';
import { readCertificateSubject, readRequestNames } from './x509-names.ts';

const bytesOf = (pem: string): Buffer => Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
const requestFor = (subject: Buffer): Buffer => bytesOf(forgeRequest({ subject }));
const JANE = attribute('commonName', TAG.utf8, 'jane');
const unit = attribute('organizationalUnit', TAG.printable, 'u');

let authority: KeyPair;
beforeAll(async () => {
  authority = await createAuthority('test', Date.now());
});

describe('a subject', () => {
  it('is the same in a request and in a certificate', () => {
    const subject = nameOf(
      [attribute('country', TAG.printable, 'DE')],
      [attribute('organization', TAG.teletex, Buffer.from([0x64, 0xe9])), unit],
      [attribute('organization', TAG.numeric, '12 3')],
      [attribute('uid', TAG.utf8, 'left behind')],
      [JANE],
    );
    const wanted = {
      commonName: 'jane',
      organizations: ['dé', '12 3'],
      others: [
        { type: '2.5.4.6', value: 'DE' },
        { type: '2.5.4.11', value: 'u' },
      ],
    };
    expect(readRequestNames(requestFor(subject))).toMatchObject(wanted);
    expect(readCertificateSubject(bytesOf(forgeCertificate(authority, subject).certificate))).toEqual(wanted);
  });

  it('with several common names is the last, in one set or in two, and nobody without one', () => {
    const other = attribute('commonName', TAG.utf8, 'john');
    expect(readRequestNames(requestFor(nameOf([other, JANE]))).commonName).toBe('jane');
    expect(readRequestNames(requestFor(nameOf([JANE], [other]))).commonName).toBe('john');
    expect(readRequestNames(requestFor(nameOf([], [unit]))).commonName).toBe('');
  });

  it('keeps a NUL and a byte order mark: a name with one is another name', () => {
    const odd = ['system:masters\0', 'system:\0masters', '\uFEFFsystem:masters'];
    const subject = nameOf(...odd.map((text) => [attribute('organization', TAG.utf8, text)]), [JANE]);
    expect(readRequestNames(requestFor(subject)).organizations).toEqual(odd);
  });

  it('says which attribute cannot be read, and how to write it', () => {
    const read = (tag: number, value: Buffer | string) => () =>
      readRequestNames(requestFor(nameOf([attribute('organization', tag, value)], [JANE])));
    expect(read(TAG.utcTime, '260101000000Z')).toThrow(
      'the organization (O) of the subject has the ASN.1 tag 23, which is no text; make the request with a UTF8String or PrintableString',
    );
    expect(read(TAG.numeric, 'system:masters')).toThrow(
      'the organization (O) of the subject is no valid NumericString',
    );
    expect(read(TAG.utf8, Buffer.from([0xff]))).toThrow('no valid UTF8String');
    expect(read(TAG.bmp, Buffer.from([0xd8, 0x00]))).toThrow('no valid BMPString');
  });

  it('is not read where its bytes could mean something else to somebody else', () => {
    const value = der(TAG.utf8, 'x');
    const long = Buffer.from([TAG.utf8, 0x81, 0x01, 0x78]);
    const endless = Buffer.from([0x2c, 0x80, TAG.utf8, 0x01, 0x78, 0x00, 0x00]);
    const identifier = der(TAG.objectIdentifier, Buffer.from('550403', 'hex'));
    const padded = der(TAG.objectIdentifier, Buffer.from('55048003', 'hex'));
    const open = der(TAG.objectIdentifier, Buffer.from('550483', 'hex'));
    for (const parts of [
      [identifier, long],
      [identifier, endless],
      [identifier, value, value],
      [identifier],
      [padded, value],
      [open, value],
      [value, value],
    ]) {
      expect(() => readRequestNames(requestFor(nameOf([der(TAG.sequence, ...parts)])))).toThrow('malformed DER');
    }
    expect(() => readRequestNames(Buffer.concat([requestFor(nameOf([JANE])), Buffer.from([0])]))).toThrow('malformed');
  });

  it('is read or refused whatever the bytes, and never anything but a name', () => {
    const good = requestFor(nameOf([attribute('organization', TAG.utf8, 'devs')], [JANE]));
    const read = (bytes: Buffer): void => {
      try {
        const { commonName, organizations } = readRequestNames(bytes);
        expect([typeof commonName, ...organizations.map((each) => typeof each)]).not.toContain('undefined');
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
        expect((error as Error).message).toMatch(/malformed DER|of the subject|subjectAltName|twice/);
      }
    };
    assert(property(uint8Array({ maxLength: 64 }), (bytes) => read(Buffer.from(bytes))));
    assert(
      property(nat(good.length - 1), nat(255), (at, byte) => {
        const bent = Buffer.from(good);
        bent[at] = byte;
        read(bent);
        read(good.subarray(0, at));
      }),
    );
  });
});

describe('alternative names', () => {
  const names = (...extensions: readonly (readonly Buffer[])[]) =>
    readRequestNames(bytesOf(forgeRequest({ subject: nameOf([JANE]), extensions })));

  it('are read by kind, those of other kinds left out', () => {
    const other = der(TAG.objectIdentifier, Buffer.from('2a03', 'hex'));
    const dns = [2, 'a.example'] as const;
    const extension = alternativeNames(
      dns,
      [1, 'a@b'],
      [6, 'https://c/'],
      [7, Buffer.from([10, 0, 0, 1])],
      [0x20, other],
    );
    expect(names([extension])).toMatchObject({
      dnsNames: ['a.example'],
      emails: ['a@b'],
      uris: ['https://c/'],
      ipAddresses: ['10.0.0.1'],
    });
  });

  it('may be asked for once', () => {
    const once = alternativeNames([2, 'a']);
    expect(() => names([once, once])).toThrow('asks for one extension twice');
    expect(() => names([once], [once])).toThrow('asks for one extension twice');
  });

  it.each([
    [[7, Buffer.alloc(8)], 'neither 4 nor 16 bytes'],
    [[7, Buffer.alloc(17)], 'neither 4 nor 16 bytes'],
    [[2, Buffer.from('münchen')], 'beyond ASCII'],
  ] as const)('are refused where they are none: %j', (name, message) => {
    expect(() => names([alternativeNames(name)])).toThrow(message);
  });
});

describe('what is signed', () => {
  it('says what was read, encoded anew, and nothing else of the request', async () => {
    const subject = nameOf(
      [attribute('organization', TAG.bmp, Buffer.from('devs\0', 'utf16le').swap16()), unit],
      [attribute('uid', TAG.utf8, 'left behind')],
      [attribute('commonName', TAG.utf8, 'john')],
      [JANE],
    );
    const loopback = Buffer.alloc(16);
    loopback[15] = 1;
    const other = der(TAG.objectIdentifier, Buffer.from('2a03', 'hex'));
    const extensions = [[alternativeNames([2, 'a.example'], [0x20, other], [7, loopback])]];
    const read = readCertificateRequest(forgeRequest({ subject, extensions }));
    const options = { now: Date.now(), seconds: 600, usages: ['client auth'] };
    const certificate = new X509Certificate(await signCertificateRequest(authority, read, options));
    expect(certificate.subject).toBe('OU=u\nO=devs\nCN=jane');
    expect(certificate.subjectAltName).toBe('DNS:a.example, IP Address:0:0:0:0:0:0:0:1');
    expect(readCertificateSubject(certificate.raw)).toEqual({
      commonName: 'jane',
      organizations: ['devs'],
      others: [{ type: '2.5.4.11', value: 'u' }],
    });
  });

  it('may be long', async () => {
    const groups = Array.from({ length: 200 }, (_, i) => `${'g'.repeat(150)}${i}`);
    const subject = nameOf(...groups.map((group) => [attribute('organization', TAG.utf8, group)]), [JANE]);
    const read = readCertificateRequest(forgeRequest({ subject }));
    const options = { now: Date.now(), seconds: 600, usages: ['client auth'] };
    const certificate = new X509Certificate(await signCertificateRequest(authority, read, options));
    expect(readCertificateSubject(certificate.raw).organizations).toEqual(groups);
  });
});
