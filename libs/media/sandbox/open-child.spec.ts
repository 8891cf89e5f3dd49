import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasLandlock } from '../testing/has-landlock.js';
import { openChild } from './open-child.js';

const linux = process.platform === 'linux';
const landlocked = hasLandlock();
const filtered = linux && /^(x64|arm64)$/.test(process.arch);

describe('an opened child', () => {
  it('reads what is written to it and is read from', async () => {
    const child = await openChild({ program: 'cat', args: [], stdin: true });
    const output = text(child.stdout);
    child.stdin!.write('one ');
    child.stdin!.end('two');
    expect(await output).toBe('one two');
    expect(await child.ended).toEqual({ code: 0, killedBy: null, stderr: '' });
  });

  it('waits while nobody reads its output', async () => {
    const child = await openChild({ program: 'yes', args: [] });
    await once(child.stdout, 'readable');
    await sleep(200);
    const held = child.stdout.readableLength;
    await sleep(200);
    expect(child.stdout.readableLength).toBe(held);
    expect(held).toBeLessThan(256 << 10);
    child.stop();
    expect(await child.ended).toMatchObject({ code: null, killedBy: 'SIGKILL' });
  });

  it('says why it ended, and that it did not start', async () => {
    const wrong = await openChild({ program: 'sh', args: ['-c', 'echo wrong >&2; exit 3'] });
    expect(await wrong.ended).toEqual({ code: 3, killedBy: null, stderr: 'wrong\n' });
    expect(await (await openChild({ program: '/no/such/program', args: [] })).ended).toMatchObject({ code: 127 });
  });

  it('that has ended may be written to and stopped again', async () => {
    const child = await openChild({ program: 'true', args: [], stdin: true });
    await child.ended;
    for (let i = 0; i < 20; i++) child.stdin!.write(Buffer.alloc(100_000));
    child.stop();
    await sleep(50);
  });

  (linux ? it : it.skip)('has its memory limited, its time not', async () => {
    const limits = await text(
      (await openChild({ program: 'cat', args: ['/proc/self/limits'], limits: { dataBytes: 99 << 20 } })).stdout,
    );
    expect(/^Max data size\s+(\d+)/m.exec(limits)?.[1]).toBe(String(99 << 20));
    expect(/^Max cpu time\s+(\S+)/m.exec(limits)?.[1]).toBe('unlimited');
  });
});

describe('an opened child and the network', () => {
  let server: Server;
  beforeAll(async () => {
    server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  const said = async (program: string, port?: number): Promise<string> => {
    const network = port === undefined ? {} : { network: { port } };
    return text((await openChild({ program: process.execPath, args: ['-e', program], ...network })).stdout);
  };
  const portOf = (): number => (server.address() as AddressInfo).port;
  const connecting = (): string => `
    const socket = require('node:net').connect(${portOf()}, '127.0.0.1');
    socket.on('data', (data) => process.stdout.write(data)).on('error', (error) => process.stdout.write(error.code));`;

  it('are separated unless it may connect', async () => {
    expect(await said(connecting(), portOf())).toBe('hello');
    if (linux) expect(await said(connecting())).toMatch(/^E[A-Z]+$/);
  });

  (landlocked ? it : it.skip)('meet at the port alone that it may connect to', async () => {
    expect(await said(connecting(), portOf() - 1)).toBe('EACCES');
  });

  /** @hardening privacy: Child processes inherit secrets, files or the network */
  (filtered ? it : it.skip)('meet by outgoing TCP alone', async () => {
    const tried = `
      const say = (error) => process.stdout.write(error?.code + ' ');
      const { connect, createServer } = require('node:net');
      createServer().on('error', say).listen(0, '127.0.0.1', () => process.stdout.write('listens '));
      connect('/tmp/no-socket').on('error', say);
      connect(1, '::1').on('error', say);
      try { require('node:dgram').createSocket('udp4').on('error', say).bind(0, () => process.stdout.write('udp ')); }
      catch (error) { say(error); }
      try { require('node:fs').openSync('/tmp/adit-open-child', 'w'); } catch (error) { say(error); }`;
    expect([...new Set((await said(tried, portOf())).trim().split(' '))]).toEqual(['EACCES']);
  });
});
