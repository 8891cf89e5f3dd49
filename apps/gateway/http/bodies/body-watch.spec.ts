/** @needs weights, build */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_MS, startGateway, type TestGateway } from '../../testing/gateway.js';

let gateway: TestGateway;
let port: number;

beforeAll(async () => {
  gateway = await startGateway({ uploadIdleSeconds: 1 });
  await gateway.app.listen(0, '127.0.0.1');
  port = Number(new URL(await gateway.app.getUrl()).port);
}, BOOT_MS);
afterAll(() => gateway?.close());

const head = (key: string, url = '/api/v1/jobs/', method = 'POST') =>
  `${method} ${url} HTTP/1.1\r\nHost: x\r\nAuthorization: Key ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;

/** Sends a head, then a piece of a body again and again for as long as it is let; answers what came back until the end. */
async function drip(text: string, piece: string, everyMs: number): Promise<string> {
  let all = '';
  const socket = connect(port, '127.0.0.1');
  socket.on('data', (data) => (all += String(data)));
  socket.on('error', () => undefined);
  socket.write(text);
  const timer = setInterval(() => socket.write(piece), everyMs);
  await once(socket, 'close');
  clearInterval(timer);
  return all;
}

// They wait, each for itself; the last one holds everybody up, and comes when they have ended.
describe('a body that never ends', () => {
  it.concurrent('a body is ended when nothing comes any more', async () => {
    expect(await drip(head(gateway.key), '', 10_000)).toMatch(/^HTTP\/1\.1 408 [^]*TIMED_OUT[^]*nothing came/);
  });

  /** @hardening overload: Bodies never end, credentials are guessed, a quota is passed */
  it.concurrent('a body is ended when next to nothing comes', async () => {
    expect(await drip(head(gateway.key), '1\r\n \r\n', 100)).toMatch(/^HTTP\/1\.1 408 [^]*bytes a second/);
  });

  it.concurrent.each([
    ['without a key', () => head('adit_nobody'), 401],
    ['where none is read', () => head(gateway.key, '/api/v1/jobs/', 'GET'), 200],
  ])('a body is ended %s, however fast it comes', async (_, text, status) => {
    const piece = `1000\r\n${' '.repeat(0x1000)}\r\n`;
    expect(await drip(text(), piece, 50)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it.concurrent('a body lives as long as it comes at the pace of a slow line', async () => {
    const whole = '{"name": "slowly"}'.padEnd(10_000);
    const socket = connect(port, '127.0.0.1');
    const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    socket.write(head(gateway.key, '/api/v1/batches/').replace('Transfer-Encoding: chunked', 'Content-Length: 10000'));
    for (let at = 0; at < whole.length; at += 1_000) {
      await sleep(300);
      socket.write(whole.slice(at, at + 1_000));
    }
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });

  it.concurrent('a body that is too large is answered; its client may end it, and ask on', async () => {
    const length = 9_000_000;
    const socket = connect(port, '127.0.0.1');
    let all = '';
    socket.on('data', (data) => (all += String(data)));
    const answered = async (status: number): Promise<void> => {
      while (!all.includes(`HTTP/1.1 ${status} `)) await once(socket, 'data');
    };
    socket.write(head(gateway.key).replace('Transfer-Encoding: chunked', `Content-Length: ${length}`));
    await answered(413);
    expect(all).not.toMatch(/^connection: close/im);
    socket.write(' '.repeat(length) + `${head(gateway.key, '/api/v1/jobs/', 'GET')}0\r\n\r\n`);
    await answered(200);
    socket.destroy();
  });

  it.concurrent('a body that has come whole may wait to be read', async () => {
    const order = { sources: ['https://media.example.org/a.jpg'], modules: { face_recognition: {} } };
    const { id } = (await gateway.ask('POST', '/api/v1/jobs/', order)).json<{ id: string }>();
    const asked = head(gateway.key, `/api/v1/jobs/${id}/`, 'GET');
    const text = asked.replace('Host: x', 'Host: x\r\nConnection: close\r\nPrefer: wait=4');
    expect(await drip(`${text}0\r\n\r\n`, '', 10_000)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('a body is not ended for the time in which the gateway itself was held up', async () => {
    const body = '{"name": "held up"}';
    const socket = connect(port, '127.0.0.1');
    const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    await once(socket, 'connect');
    socket.write(head(gateway.key, '/api/v1/batches/').replace('Transfer-Encoding: chunked', 'Content-Length: 19'));
    socket.write(body.slice(0, 9));
    await once(gateway.app.getHttpServer(), 'request');
    // The watch has looked and seen what came so far.
    await sleep(500);
    // Longer than a body may be silent; what the client sends meanwhile is read afterwards.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    setImmediate(() => socket.write(body.slice(9)));
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });
});
