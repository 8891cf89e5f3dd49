// Free loopback ports for servers.
import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

/** Below the range the system hands to outgoing connections, so that a server that is away keeps its port. */
const FIRST = 20_000;
const LAST = 32_000;

/** `count` different ports nobody listens on right now. */
export async function freePorts(count) {
  const ports = new Set();
  for (let tries = 0; ports.size < count; tries += 1) {
    if (tries > 500) throw new Error(`No ${count} free ports between ${FIRST} and ${LAST} on 127.0.0.1.`);
    const port = randomInt(FIRST, LAST);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

/** True when something accepts connections there. */
export function answers(port, host = '127.0.0.1') {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 1_000 });
    const end = (result) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}

function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
