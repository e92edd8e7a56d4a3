import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createAuthority, expiryOf, issueCertificate } from './certificates.ts';

const NOW = Date.now();

describe('certificates', () => {
  it('are accepted by a TLS server and client that trust only the authority', async () => {
    const authority = await createAuthority('everynode-ca', NOW);
    const server = await issueCertificate(authority, NOW, {
      subject: { commonName: 'kube-apiserver' },
      usage: 'server',
      hosts: ['localhost', '127.0.0.1', '::1'],
    });
    const client = await issueCertificate(authority, NOW, {
      subject: { commonName: 'admin, the "first"', organizations: ['system:masters', 'b'] },
      usage: 'client',
    });
    const listener = createServer({
      cert: server.certificate,
      key: server.key,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: true,
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const accepted = once(listener, 'secureConnection');
    const socket = connect({
      host: '127.0.0.1',
      port: (listener.address() as AddressInfo).port,
      ca: authority.certificate,
      cert: client.certificate,
      key: client.key,
    });
    await once(socket, 'secureConnect');
    const [peer] = (await accepted) as [TLSSocket];
    expect(peer.getPeerCertificate().subject).toMatchObject({ CN: 'admin, the "first"', O: ['system:masters', 'b'] });
    socket.destroy();
    peer.destroy();
    listener.close();
  });

  it('never outlive their authority', async () => {
    const authority = await createAuthority('short', NOW, 10);
    const leaf = await issueCertificate(authority, NOW, { subject: { commonName: 'x' }, usage: 'client', days: 365 });
    expect(expiryOf(leaf.certificate)).toBeLessThanOrEqual(expiryOf(authority.certificate));
    expect(new X509Certificate(leaf.certificate).verify(new X509Certificate(authority.certificate).publicKey)).toBe(
      true,
    );
  });
});
