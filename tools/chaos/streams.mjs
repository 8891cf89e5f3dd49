// Live streams while everything breaks: a camera that stays, and jobs that mine it from the first disturbance to the last.
import { setTimeout as sleep } from 'node:timers/promises';
import { liveServer, queryDatabase } from '@adit/testing';

/** Time between two pictures that is no gap: their distance varies. */
const UNNOTICED_US = 250_000;
/** Time that a stopped stream has to fold what is left. */
const END_MS = 5 * 60_000;

/**
 * Starts a camera that shows a film again and again; null where there is no MediaMTX.
 *
 * @param {{ program: string } | { reason: string }} found MediaMTX, or why it is not there.
 * @param {string} film
 * @param {(line: string) => void} log
 */
export async function startCamera(found, film, log) {
  if (!('program' in found)) {
    log(`Without live streams: ${found.reason.split('\n', 1)[0]}`);
    return null;
  }
  const server = await liveServer(found.program);
  await server.publish('open/camera', film);
  return { address: `rtsp://127.0.0.1:${server.ports.rtsp}/open/camera`, remove: () => server.remove() };
}

/** Posts jobs that mine the camera; answers their ids once all of them are read. */
export async function beginStreams(client, address, { count, seed }) {
  const ids = [];
  for (let at = 0; at < count; at++) {
    const order = { sources: [address], modules: { face_recognition: {} } };
    ids.push((await client.submit(order, `chaos-${seed}-stream-${at}`)).id);
  }
  for (const id of ids) while ((await client.get(`/jobs/${id}/`)).duration < 2) await sleep(250);
  return ids;
}

/** Stops the streams and waits until nothing of them is left to do. */
export async function endStreams(client, ids, seed) {
  for (const id of ids) await client.act('POST', `/jobs/${id}/stop/`, `chaos-${seed}-stop-${id}`);
  const deadline = Date.now() + END_MS;
  return await Promise.all(ids.map(async (id) => ({ id, job: await client.ended(id, deadline) })));
}

/**
 * Compares what was stored of streams with what their jobs say: every chunk once and in order, and each time without
 * one named as a gap. Faults have the names of a ChaosReport.
 *
 * @returns {Promise<{ lost: string[], wrong: string[], doubled: string[], gaps: number, seconds: number, gapSeconds: number }>}
 */
export async function streamFaults(client, ended, url) {
  const report = { lost: [], wrong: [], doubled: [], gaps: 0, seconds: 0, gapSeconds: 0 };
  for (const { id, job } of ended) {
    const say = (what) => `live stream ${id}: ${what}`;
    if (job.state !== 'stopped') report.wrong.push(say(`${job.state} at ${job.duration} s: ${job.errors?.slice(-3)}`));
    const chunks = await queryDatabase(
      url,
      `SELECT position, (interval->>'ptsStart')::bigint AS "from", (interval->>'ptsEnd')::bigint AS "to",
              (interval->>'frameStart')::int AS first, (interval->>'frameEnd')::int AS after
         FROM chunks WHERE job_id = '${id}' ORDER BY position`,
    );
    const gaps = await queryDatabase(
      url,
      `SELECT from_us AS "from", to_us AS "to", reason FROM stream_gaps WHERE job_id = '${id}' ORDER BY seq`,
    );
    for (const [at, chunk] of chunks.entries()) {
      const before = chunks[at - 1];
      if (chunk.position !== at) report.lost.push(say(`chunk ${at} is not there`));
      if (before === undefined) continue;
      const missing = Number(chunk.from) - Number(before.to);
      if (missing < 0) report.doubled.push(say(`${-missing} µs before chunk ${at} are there twice`));
      if (chunk.first < before.after) report.doubled.push(say(`frames before ${chunk.first} are there twice`));
      const isNamed = gaps.some(({ from, to }) => from === before.to && to === chunk.from);
      if (missing > UNNOTICED_US && !isNamed) report.lost.push(say(`${missing} µs before chunk ${at} are no gap`));
    }
    const { count, distinct } = await client.results(id);
    if (distinct !== count) report.doubled.push(say(`${count - distinct} segments twice`));
    if (chunks.length === 0) report.lost.push(say('nothing of it was mined'));
    report.gaps += gaps.length;
    report.seconds += Number(chunks.at(-1)?.to ?? 0) / 1e6;
    report.gapSeconds += gaps.reduce((sum, { from, to }) => sum + (Number(to) - Number(from)) / 1e6, 0);
  }
  return report;
}
