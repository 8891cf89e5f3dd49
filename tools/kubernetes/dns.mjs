// The cluster's DNS: names of services, and that there is nothing else.
import { createSocket } from 'node:dgram';

const TTL_SECONDS = 5;
const [A, ANY] = [1, 255];
const [NO_ERROR, SERVER_FAILURE, NO_SUCH_NAME] = [0, 2, 3];

/**
 * Answers over UDP at `host` for `<service>.<namespace>.svc.cluster.local`.
 *
 * @param {string} host
 * @param {(service: string, namespace: string) => Promise<string | null>} find Address of a service, or null.
 */
export async function startDns(host, find, port = 53) {
  const socket = createSocket('udp4');
  socket.on('message', async (query, from) => {
    // Shorter than any question.
    if (query.length < 17) return;
    socket.send(await answer(query, find), from.port, from.address);
  });
  await new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(port, host, resolve);
  });
  return { port: socket.address().port, close: () => new Promise((resolve) => socket.close(resolve)) };
}

/** @param {Buffer} query */
async function answer(query, find) {
  const { name, type, end } = questionOf(query);
  const [, service, namespace] = /^([^.]+)\.([^.]+)\.svc\.cluster\.local$/i.exec(name) ?? [];
  let code = NO_SUCH_NAME;
  let found = null;
  if (service !== undefined) {
    try {
      found = await find(service, namespace);
      if (found !== null) code = NO_ERROR;
    } catch {
      code = SERVER_FAILURE;
    }
  }
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  // An answer, by who knows, that could recurse; and what the asker wished.
  header.writeUInt16BE(0x8480 | (query.readUInt16BE(2) & 0x0100) | code, 2);
  header.writeUInt16BE(1, 4);
  const parts = [header, query.subarray(12, end)];
  if (found !== null && (type === A || type === ANY)) {
    header.writeUInt16BE(1, 6);
    const record = Buffer.alloc(16);
    // The name is the one of the question.
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(A, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(TTL_SECONDS, 6);
    record.writeUInt16BE(4, 10);
    found.split('.').forEach((part, index) => record.writeUInt8(Number(part), 12 + index));
    parts.push(record);
  }
  return Buffer.concat(parts);
}

function questionOf(query) {
  const labels = [];
  let at = 12;
  for (let length = query[at]; length > 0 && length < 64; length = query[at]) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: at + 5 <= query.length ? query.readUInt16BE(at + 1) : 0, end: at + 5 };
}
