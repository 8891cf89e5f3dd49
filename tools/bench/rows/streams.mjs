// Live streams: how late what is seen is told, what it costs beside the same pictures as a film, and whether memory stays flat.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { triedMediamtx } from '@adit/servers/mediamtx';
import { liveServer } from '@adit/testing';
import { withCpu } from '../cpu.mjs';
import { Engine } from '../engine.mjs';
import { percentile, sum } from '../measure.mjs';
import { passingFilm, unknownFilm } from '../media.mjs';
import { sampled } from '../pss.mjs';

const STREAMS = 4;
const START_SECONDS = 3;
const END_SECONDS = 7;
const CPU_RATIO = 1.3;
const GROWTH = 1.05;
/** Seconds until all streams are read and models are warm. */
const WARM_UP = 20;

export function streams(bench) {
  return measured(bench, bench.quick ? 20 : 180);
}

/** The same for half an hour; by name only. */
export function streamsLong(bench) {
  return measured(bench, 1800);
}

async function measured(bench, seconds) {
  const found = await triedMediamtx();
  if (!('program' in found)) {
    return [
      { name: 'live streams', measured: 'not measured', goal: '', ok: true, note: found.reason.split('\n', 1)[0] },
    ];
  }
  const path = await passingFilm();
  const [server, receiver] = [await liveServer(found.program), await receive()];
  const engine = await Engine.start([bench.folder], [], undefined, {
    allowPrivateAddresses: ['127.0.0.1/32'],
    webhookAllowHttp: true,
    webhookAllowAddresses: ['127.0.0.1/32'],
  });
  try {
    await engine.mine([await unknownFilm(path, bench.folder)]);
    const again = await unknownFilm(path, bench.folder);
    const alone = await withCpu(engine.pid, () => engine.mine([again]));
    for (let at = 0; at < STREAMS; at++) await server.publish(`open/${at}`, path);
    const address = (at) => `rtsp://127.0.0.1:${server.ports.rtsp}/open/${at}`;
    const webhook = { callback: receiver.url, events: ['job.on_segment_start', 'job.on_segment_end'] };
    const jobs = [];
    for (let at = 0; at < STREAMS; at++)
      jobs.push(await engine.begin([address(at)], { face_recognition: {} }, webhook));
    await sleep(WARM_UP * 1000);
    receiver.begin();
    const live = await withCpu(engine.pid, async () => ({
      samples: await sampled(engine.pid, () => sleep(seconds * 1000), 2000),
    }));
    const ended = [];
    for (const { id } of jobs) {
      const { data: gaps } = await engine.get(`/jobs/${id}/gaps/`);
      const { errors } = await engine.stop(id);
      ended.push(gaps.length + errors.length);
    }
    return report({ seconds, alone: alone.cpu / 60, live, receiver, ended });
  } finally {
    await engine.close();
    await server.remove();
    receiver.close();
  }
}

function report({ seconds, alone, live: { cpu, samples }, receiver: { starts, ends }, ended }) {
  const memory = samples.map(([, mebibytes]) => mebibytes);
  const mean = (values) => sum(values) / values.length;
  const growth =
    mean(memory.slice(-Math.ceil(memory.length / 4))) / mean(memory.slice(0, Math.ceil(memory.length / 4)));
  const ratio = cpu / (seconds * STREAMS) / alone;
  const leftOut = sum(ended);
  const of = (lags) => `p50 ${percentile(lags, 0.5).toFixed(2)}, p99 ${percentile(lags, 0.99).toFixed(2)} s`;
  const title = `${STREAMS} live streams of 720p25, ${seconds} s`;
  const isTold = (lags, limit) => lags.length > 0 && percentile(lags, 0.99) <= limit;
  return [
    {
      name: `${title}: a segment's start until its event`,
      measured: starts.length > 0 ? of(starts) : 'no event',
      goal: `p99 ≤ ${START_SECONDS} s`,
      ok: isTold(starts, START_SECONDS) && leftOut === 0,
      note: `${starts.length} segments; ${leftOut} gaps and notes of pictures left out, which have to be none`,
    },
    {
      name: `${title}: its end until its event`,
      measured: ends.length > 0 ? of(ends) : 'no event',
      goal: `p99 ≤ ${END_SECONDS} s`,
      ok: isTold(ends, END_SECONDS),
      note: 'two seconds of it are the rule of gaps',
    },
    {
      name: `${title}: CPU beside the same pictures as a film`,
      measured: `${ratio.toFixed(2)} ×`,
      goal: `≤ ${CPU_RATIO} ×`,
      ok: ratio <= CPU_RATIO,
      note: `${(cpu / seconds).toFixed(2)} cores for all; a second of the film takes ${(1000 * alone).toFixed(0)} ms of CPU`,
    },
    {
      name: `${title}: memory, last quarter against the first`,
      measured: `${growth >= 1 ? '+' : '−'}${Math.abs(100 * (growth - 1)).toFixed(1)} %`,
      goal: 'within 5 %',
      ok: growth <= GROWTH,
      note: `PSS of the process tree: mean ${mean(memory).toFixed(0)}, peak ${Math.max(...memory).toFixed(0)} MiB`,
    },
  ];
}

/** Receives webhooks; keeps how late the starts and ends of segments came, in seconds. */
async function receive() {
  const lags = { starts: [], ends: [] };
  let isCounting = false;
  const server = createServer((request, response) => {
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('end', () => {
      response.writeHead(204).end();
      const { event, data } = JSON.parse(Buffer.concat(pieces).toString());
      if (!isCounting || data.segment === undefined) return;
      const { time_of_day: day, time_start: from, time_end: to } = data.segment;
      const isStart = event.endsWith('start');
      const seen = Date.parse(day) + (isStart ? 0 : (to - from) * 1000);
      (isStart ? lags.starts : lags.ends).push((Date.now() - seen) / 1000);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    ...lags,
    url: `http://127.0.0.1:${server.address().port}/`,
    begin: () => (isCounting = true),
    close: () => (server.closeAllConnections(), server.close()),
  };
}
