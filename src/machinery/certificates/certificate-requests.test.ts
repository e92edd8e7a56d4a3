import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createCertificateRequest, readCertificateRequest, signCertificateRequest } from './certificate-requests.ts';
import { createAuthority } from './certificates.ts';

const NOW = Date.UTC(2026, 0, 1);
const DAY = 86_400;

describe('a certificate request', () => {
  it('says who asks, and that they hold the key', async () => {
    const { request, key } = await createCertificateRequest({
      commonName: 'jane, "j" + 1',
      organizations: ['a', 'b=c'],
    });
    expect(key).toContain('BEGIN PRIVATE KEY');
    const read = readCertificateRequest(`some words before\n${request}`);
    expect(read).toMatchObject({ commonName: 'jane, "j" + 1', organizations: ['a', 'b=c'], dnsNames: [], uris: [] });
    expect(await read.verify()).toBe(true);
  });

  it('is none where there is no block that says so', () => {
    const other = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----';
    const begun = '-----BEGIN CERTIFICATE REQUEST-----\nAA==';
    const huge = `-----BEGIN CERTIFICATE REQUEST-----\n${'A'.repeat(100_000)}\n-----END CERTIFICATE REQUEST-----`;
    for (const pem of ['', 'x', other, begun, huge]) {
      expect(() => readCertificateRequest(pem)).toThrow('PEM block type must be CERTIFICATE REQUEST');
    }
  });

  it.each(['', 'AA==', 'MAA=', 'MIIB', '!!!!'])('is malformed where its block holds %j', (body) => {
    const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----\n`;
    expect(() => readCertificateRequest(pem)).toThrow('the certificate request is malformed');
  });

  it('that was changed afterwards does not verify', async () => {
    const { request } = await createCertificateRequest({ commonName: 'jane' });
    const der = Buffer.from(request.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
    const at = der.indexOf('jane');
    der.write('root', at);
    const forged = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
    const read = readCertificateRequest(forged);
    expect(read.commonName).toBe('root');
    expect(await read.verify()).toBe(false);
  });

  it('is signed for as long and for what it was approved, never as an authority', async () => {
    const authority = await createAuthority('test', NOW);
    const { request } = await createCertificateRequest({ commonName: 'jane', organizations: ['devs'] });
    const usages = ['client auth', 'digital signature', 'unheard of'];
    const pem = await signCertificateRequest(authority, readCertificateRequest(request), {
      now: NOW,
      seconds: DAY,
      usages,
    });
    const certificate = new X509Certificate(pem);
    expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
    expect(certificate.subject).toBe('O=devs\nCN=jane');
    expect([certificate.ca, certificate.keyUsage]).toEqual([false, ['1.3.6.1.5.5.7.3.2']]);
    const minutes = (time: string): number => (Date.parse(time) - NOW) / 60_000;
    expect([minutes(certificate.validFrom), minutes(certificate.validTo)]).toEqual([-5, 24 * 60 - 5]);
    const short = await signCertificateRequest(authority, readCertificateRequest(request), {
      now: NOW,
      seconds: 600,
      usages,
    });
    expect(minutes(new X509Certificate(short).validTo)).toBe(10);
    const long = await signCertificateRequest(authority, readCertificateRequest(request), {
      now: NOW,
      seconds: 100 * 365 * DAY,
      usages,
    });
    expect(Date.parse(new X509Certificate(long).validTo)).toBe(NOW + 3650 * DAY * 1000);
    const late = { now: NOW + 3651 * DAY * 1000, seconds: DAY, usages };
    await expect(signCertificateRequest(authority, readCertificateRequest(request), late)).rejects.toThrow('expired');
  });
});
