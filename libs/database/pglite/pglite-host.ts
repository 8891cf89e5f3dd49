import { connect, createServer, type Socket } from 'node:net';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { useRunningPglite, startPglite } from './pglite-start.js';

/**
 * Hosts the embedded database of `directory` for development in this process, while the engine runs in another, which
 * is restarted at each change and opens it by `useHostedPglite`. Listens on the socket `path`, for one engine at a
 * time. Returns the function that closes it. Throws UNAVAILABLE as `startPglite` does.
 */
export async function hostPglite(directory: string, path: string): Promise<() => Promise<void>> {
  const { server, close } = await startPglite({ driver: 'pglite', directory });
  const sockets = new Set<Socket>();
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    server.connect().then(
      (port) => join(port, socket),
      () => socket.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => listener.once('error', reject).listen(path, resolve));
  return async () => {
    listener.close();
    for (const socket of sockets) socket.destroy();
    await close();
  };
}

/** Makes the next opening of the embedded database in `directory` use the host behind the socket `path`. */
export function useHostedPglite(directory: string, path: string): void {
  const open = async (): Promise<MessagePort> => {
    const socket = connect(path);
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    const { port1, port2 } = new MessageChannel();
    join(port2, socket);
    return port1;
  };
  useRunningPglite(directory, { server: { connect: open }, close: () => Promise.resolve() });
}

const HEADER_BYTES = 4;

/**
 * Bridges port and socket: each message is a frame, its length as a big-endian uint32 and its bytes. Either end
 * closes both.
 */
function join(port: MessagePort, socket: Socket): void {
  let read: Buffer = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    read = read.length === 0 ? bytes : Buffer.concat([read, bytes]);
    while (read.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + read.readUInt32BE();
      if (read.length < end) break;
      const frame = new Uint8Array(read.subarray(HEADER_BYTES, end));
      read = read.subarray(end);
      port.postMessage(frame, [frame.buffer]);
    }
  });
  port.on('message', (bytes: Uint8Array) => {
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32BE(bytes.byteLength);
    socket.cork();
    socket.write(header);
    socket.write(bytes);
    socket.uncork();
  });
  socket.on('error', () => socket.destroy());
  socket.once('close', () => port.close());
  port.once('close', () => socket.end());
}
