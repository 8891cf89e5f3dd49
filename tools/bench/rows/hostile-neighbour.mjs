// While somebody attacks, the engine answers its probe and works on another workspace's photo as ever.
import { deflateSync } from 'node:zlib';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Engine } from '../engine.mjs';
import { median } from '../measure.mjs';
import { photo as sample, taggedFilm, unknownFilm, unknownPhoto } from '../media.mjs';

const PROBE_LIMIT = 250;
const PHOTO_LIMIT = 2;

export async function hostileNeighbour(bench) {
  const count = bench.quick ? 2 : 9;
  const engine = await Engine.start([bench.folder]);
  const rows = [];
  try {
    const neighbour = await engine.neighbour();
    const photo = async () => (await neighbour.mine([await unknownPhoto(sample, bench.folder)])).seconds;
    const photos = async () => {
      const walls = [];
      for (let i = 0; i < count; i++) walls.push(await photo());
      return median(walls);
    };
    for (let i = 0; i < 3; i++) await photo();
    const usual = await photos();
    for (const [name, attack] of Object.entries(attacks(engine, bench))) {
      const over = new AbortController();
      const attacking = again(attack, over.signal);
      const probing = probes(engine, over.signal);
      const attacked = await photos();
      over.abort();
      const [worst] = await Promise.all([probing, attacking]);
      bench.log(`hostile neighbour, ${name}: probe ${worst.toFixed(0)} ms, photo ${attacked.toFixed(2)} s`);
      rows.push({
        name: `neighbour of ${name}: slowest probe, another's photo`,
        measured: `${worst.toFixed(0)} ms, ${(attacked / usual).toFixed(1)} × ${usual.toFixed(2)} s`,
        goal: `≤ ${PROBE_LIMIT} ms, ≤ ${PHOTO_LIMIT} ×`,
        ok: worst <= PROBE_LIMIT && attacked <= PHOTO_LIMIT * usual,
        note: `in one process; median of ${count} photos while the attack is repeated`,
      });
    }
  } finally {
    await engine.close();
  }
  return rows;
}

// Made before: what the client is busy with would count as the engine's.
const members = (count, member) => Array.from({ length: count }, (_, at) => member(at)).join();
const manyModules = `{"sources":["storage://x"],"modules":{${members(190_000, (at) => `"module_${at}":{}`)}}}`;
const manyKeys = `{${members(400_000, (at) => `"k${at}":1`)}}`;
const lines = Array.from({ length: 100_000 }, (_, at) => `der Hund ${at}`).join('\n');
const bomb = Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(8 << 20, 'x'))]);

/** Each is one request, or one job until it has ended; the engine may refuse it. */
function attacks(engine, bench) {
  const post = (body) => engine.send('/jobs/', { body, type: 'application/json' });
  const job = async (path) => engine.ask([path], { face_recognition: {} });
  return {
    '3.8 MB of module names': () => post(manyModules),
    '400,000 unknown keys': () => post(manyKeys),
    'a tag of 16 MB': async () => job(await unknownFilm(await taggedFilm(bench.folder, 16 << 20), bench.folder)),
    'a PNG with 50 text bombs': async () => job(await bombedPng(bench.folder)),
    'a dictionary of 100,000 lines, language auto': () => {
      const form = new FormData();
      form.append('file', new Blob([lines], { type: 'text/plain' }), 'words.txt');
      form.append('language', 'auto');
      form.append('name', `words ${Math.random()}`);
      return engine.send('/dictionaries/', { body: form });
    },
  };
}

async function again(attack, over) {
  while (!over.aborted) {
    // It may be refused, and jobs may fail: that is right.
    await attack().catch(() => undefined);
    await sleep(10);
  }
}

/** The slowest answer of the probe, milliseconds. */
async function probes(engine, over) {
  let worst = 0;
  while (!over.aborted) {
    const start = performance.now();
    await (await fetch(new URL('/healthz', engine.url))).arrayBuffer();
    worst = Math.max(worst, performance.now() - start);
    await sleep(20);
  }
  return worst;
}

/** A picture of one pixel with fifty ancillary chunks of 8 MB each, compressed. */
async function bombedPng(folder) {
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const chunks = [
    chunk('IHDR', header),
    ...Array.from({ length: 50 }, () => chunk('zTXt', bomb)),
    chunk('IDAT', deflateSync(Buffer.from([0, ...Array.from({ length: 3 }, () => Math.floor(Math.random() * 256))]))),
    chunk('IEND', Buffer.alloc(0)),
  ];
  const path = join(folder, `bombs-${Math.random()}.png`);
  await writeFile(path, Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), ...chunks]));
  return path;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc(body), body.length + 4);
  return whole;
}

function crc(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return ~value >>> 0;
}
