import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { startDns } from './dns.mjs';

let dns: { close: () => Promise<unknown>; port: number };
const resolver = new Resolver({ timeout: 5_000, tries: 2 });

beforeAll(async () => {
  dns = await startDns(
    '127.0.0.1',
    async (service, namespace) => {
      if (service === 'broken') throw new Error('No API server.');
      return service === 'adit-gateway' && namespace === 'adit' ? '10.96.4.200' : null;
    },
    0,
  );
  resolver.setServers([`127.0.0.1:${dns.port}`]);
});
afterAll(() => dns.close());

it('tells the address of a service', async () => {
  await expect(resolver.resolve4('adit-gateway.adit.svc.cluster.local')).resolves.toEqual(['10.96.4.200']);
});

it('has no other kind of record of it, which is no failure', async () => {
  await expect(resolver.resolve6('adit-gateway.adit.svc.cluster.local')).rejects.toMatchObject({ code: 'ENODATA' });
});

it('knows nothing else', async () => {
  await expect(resolver.resolve4('none.adit.svc.cluster.local')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  await expect(resolver.resolve4('adit.example.org')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

it('says that it cannot tell when it cannot', async () => {
  await expect(resolver.resolve4('broken.adit.svc.cluster.local')).rejects.toMatchObject({ code: 'ESERVFAIL' });
});

it('lives on after a message that is none', async () => {
  const socket = createSocket('udp4');
  await new Promise((resolve) => socket.send(Buffer.from([1, 2, 3]), dns.port, '127.0.0.1', resolve));
  socket.close();
  await expect(resolver.resolve4('adit-gateway.adit.svc.cluster.local')).resolves.toEqual(['10.96.4.200']);
});
