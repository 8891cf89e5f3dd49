// Memory of a gateway that takes one very large file, in one request and by tus. The bytes are made as they are sent.
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { seconds } from '../measure.mjs';
import { Processes } from '../processes.mjs';
import { sampled, treePss } from '../pss.mjs';

const MIB = 2 ** 20;
const LIMIT = 200;
const TUS = { 'tus-resumable': '1.0.0' };
const BOUNDARY = 'adit-bench';

/** About 3 minutes; needs 6 GB of disk. */
export async function upload(bench) {
  const size = (bench.quick ? 64 : 5 * 1024) * MIB;
  const processes = await Processes.start({ only: ['gateway'] });
  const [{ pid }] = processes.of('gateway');
  try {
    // One-time costs of uploads arise before anything is measured.
    for (const way of [oneRequest, byTus]) await remove(processes, await way(processes, 8 * MIB));
    const idle = await treePss(pid);
    const results = [];
    for (const [name, way] of Object.entries({ 'one request': oneRequest, tus: byTus })) {
      let entry;
      const began = performance.now();
      const samples = await sampled(pid, async () => (entry = await way(processes, size)), 200);
      const took = seconds(performance.now() - began);
      const peak = Math.max(...samples.map(([, mebibytes]) => mebibytes));
      const { file_size: stored, uploaded } = await processes.get(`/storage/${entry}/`);
      if (!uploaded || stored !== size) throw new Error(`${stored} of ${size} bytes were stored.`);
      await remove(processes, entry);
      bench.log(`upload: ${name}: peak ${peak.toFixed(0)} MiB, idle ${idle.toFixed(0)} MiB, ${took.toFixed(0)} s`);
      results.push({
        name: `memory of a gateway that takes ${size / MIB / 1024} GiB, ${name}`,
        measured: `peak ${peak.toFixed(0)} MiB`,
        goal: `< ${LIMIT} MiB`,
        ok: peak < LIMIT,
        note: `PSS of the process; idle ${idle.toFixed(0)} MiB; ${(size / MIB / took).toFixed(0)} MiB/s into MinIO on the same cores`,
      });
    }
    return results;
  } finally {
    await processes.close();
  }
}

async function oneRequest(processes, size) {
  const head = Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="f.bin"\r\n\r\n`);
  const tail = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
  const length = head.length + size + tail.length;
  const reply = await send(processes, 'POST', '/storage/?folder=/bench', headers, length, function* () {
    yield head;
    yield* bytes(size);
    yield tail;
  });
  return JSON.parse(reply).id;
}

async function byTus(processes, size) {
  const created = { ...TUS, 'upload-length': String(size) };
  const reply = await send(processes, 'POST', '/storage/uploads/?folder=/bench&name=f.bin', created, 0, () => []);
  const { id } = JSON.parse(reply);
  const headers = { ...TUS, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
  await send(processes, 'PATCH', `/storage/uploads/${id}/`, headers, size, () => bytes(size));
  return id;
}

async function remove(processes, id) {
  await processes.get(`/storage/${id}/`, { method: 'DELETE' });
}

function* bytes(size) {
  const piece = Buffer.alloc(256 * 1024, 'adit');
  for (let left = size; left > 0; left -= piece.length) yield left < piece.length ? piece.subarray(0, left) : piece;
}

/** Answers the reply's text; throws when it is no success. */
function send(processes, method, path, headers, length, pieces) {
  return new Promise((resolve, reject) => {
    const sent = request(`${processes.url}/api/v1${path}`, {
      method,
      headers: { ...processes.headers, ...headers, 'content-length': length },
    });
    sent.on('error', reject).on('response', (reply) => {
      let text = '';
      reply.setEncoding('utf8');
      reply.on('data', (piece) => (text += piece));
      reply.on('end', () => {
        if (reply.statusCode < 300) resolve(text);
        else reject(new Error(`${method} ${path}: ${reply.statusCode} ${text}`));
      });
    });
    pipeline(Readable.from(pieces(), { objectMode: false }), sent).catch(reject);
  });
}
