// Draws a caption into a clip, mines it on the installation in ADIT_SERVER and compares the segments with what was drawn.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, openAsBlob } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const NAME = 'Anna Weber';
/** Seconds: when the caption is to be seen, how long the clip is, and how far a segment may be off. */
const FROM = 2;
const TO = 6;
const LENGTH = 8;
const TOLERANCE = 0.6;

const folder = mkdtempSync(join(tmpdir(), 'adit-test-'));
const clip = join(folder, 'clip.mp4');
const when = `enable='between(t,${FROM},${TO - 0.01})'`;
const font = "font='DejaVu Sans':fontcolor=white";
const caption = [
  `drawbox=x=60:y=480:w=640:h=130:color=0x102a60:t=fill:${when}`,
  `drawtext=${font}:text='${NAME}':x=90:y=495:fontsize=48:${when}`,
  `drawtext=${font}:text='Mayor of Lakeside':x=90:y=560:fontsize=30:${when}`,
].join(',');
execFileSync('ffmpeg', [
  ...['-v', 'error', '-f', 'lavfi', '-i', `gradients=s=1280x720:r=25:d=${LENGTH}:c0=0x305030:c1=0x608070:speed=0.01`],
  // Other bytes each time: what was mined before would be answered without looking.
  ...[
    '-vf',
    caption,
    '-metadata',
    `comment=${new Date().toISOString()}`,
    '-c:v',
    'libx264',
    '-pix_fmt',
    'yuv420p',
    clip,
  ],
]);

const began = performance.now();
const form = new FormData();
form.append('file', await openAsBlob(clip), 'clip.mp4');
const entry = await call('POST', '/api/v1/storage/?folder=/installation-test&name=clip.mp4&if_exists=replace', form);
// Without a face beside it, too.
const modules = { lower_third_recognition: { only_faces: false } };
let job = await call('POST', '/api/v1/jobs/', { sources: [entry.url], modules });
while (job.state === 'waiting' || job.state === 'processing') {
  await sleep(500);
  job = await call('GET', `/api/v1/jobs/${job.id}/`);
}
const { data } = await call('GET', `/api/v1/jobs/${job.id}/detailed-results/`);
await call('DELETE', `/api/v1/jobs/${job.id}/`);
await call('DELETE', `/api/v1/storage/${entry.id}/`);
const found = data.map(({ meta, time_start: from, time_end: to }) => ({ name: meta.label, from, to }));
const seconds = Math.round((performance.now() - began) / 100) / 10;
console.log(JSON.stringify({ state: job.state, expected: { name: NAME, from: FROM, to: TO }, found, seconds }));
const [segment] = found;
const isRight =
  found.length === 1 &&
  segment.name === NAME &&
  Math.abs(segment.from - FROM) <= TOLERANCE &&
  Math.abs(segment.to - TO) <= TOLERANCE;
if (!isRight) {
  console.error(`The job is ${job.state}, and what it found is not what was drawn. ${job.errors.join(' ')}`);
  process.exitCode = 1;
}

/** Returns the JSON reply. A 503 is retried as its Retry-After says. */
async function call(method, path, body) {
  const isForm = body instanceof FormData;
  const headers = {
    authorization: `Key ${process.env.ADIT_API_KEY}`,
    ...(body && !isForm ? { 'content-type': 'application/json' } : {}),
  };
  for (let tries = 1; ; tries += 1) {
    const reply = await fetch(new URL(path, process.env.ADIT_SERVER), {
      method,
      headers,
      body: body && !isForm ? JSON.stringify(body) : body,
    });
    if (reply.ok) return reply.status === 204 ? null : reply.json();
    if (reply.status !== 503 || tries === 10)
      throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    await sleep(1000 * Number(reply.headers.get('retry-after') ?? 1));
  }
}
