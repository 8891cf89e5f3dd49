// Costs of JPEG in the frame packs of a film: encoding each picture as the decoder does, opening it as an analysis does.
import { spawn } from 'node:child_process';
import { decodeInterval, decodeJpeg, ffmpegPath, openFramePackBuffer, planGrid, probeMedia } from '@adit/media';
import { frameSpecName } from '@adit/contracts';
import { sum, timed } from './measure.mjs';

/**
 * Seconds by spec name: of encoding all pictures, and of decoding one. Measured on the pictures of the film's own packs,
 * at most `most` of each spec, and scaled up to all of them.
 */
export async function jpegCost(path, specs, most) {
  const pictures = await picturesOf(path, specs);
  const costs = {};
  for (const [name, jpegs] of Object.entries(pictures)) {
    const some = jpegs.slice(0, most);
    const decoding = await timed(async () => {
      for (const jpeg of some) await decodeJpeg(jpeg);
    });
    // Decoding alone is subtracted from decoding and encoding; both in CPU time of one thread.
    const plain = await ffmpegSeconds(some, ['-c:v', 'wrapped_avframe']);
    const encoded = await ffmpegSeconds(some, ['-c:v', 'mjpeg', '-q:v', '2']);
    costs[name] = {
      pictures: jpegs.length,
      bytes: sum(jpegs.map((jpeg) => jpeg.length)),
      encode: (Math.max(0, encoded - plain) * jpegs.length) / some.length,
      decodeOne: decoding.seconds / some.length,
    };
  }
  return costs;
}

async function picturesOf(path, specs) {
  const { facts, index } = await probeMedia(path);
  const pictures = {};
  for (const interval of planGrid(index)) {
    const packs = await decodeInterval({ path, facts, index, interval, specs });
    const seen = new Set();
    for (const spec of specs) {
      const name = frameSpecName(spec);
      const pack = packs.get(name);
      // Specs that come to the same pictures share one pack.
      if (seen.has(pack)) continue;
      seen.add(pack);
      (pictures[name] ??= []).push(...(await jpegsOf(pack)));
    }
  }
  return pictures;
}

/** The JPEGs of a pack, as its header tells their lengths. */
async function jpegsOf(pack) {
  const reads = [];
  const opened = await openFramePackBuffer(pack);
  const count = opened.frames.length;
  const header = JSON.parse(pack.subarray(16, 16 + pack.readUInt32BE(8)).toString());
  let at = 16 + pack.readUInt32BE(8);
  for (let i = 0; i < count; i++) reads.push(pack.subarray(at, (at += header.lengths[i])));
  return reads;
}

/** CPU seconds of an ffmpeg that decodes the pictures and hands them to `output`. */
async function ffmpegSeconds(jpegs, output) {
  const args = ['-v', 'info', '-nostats', '-benchmark', '-threads', '1', '-f', 'mjpeg', '-i', 'pipe:0'];
  const child = spawn(await ffmpegPath(), [...args, ...output, '-threads', '1', '-f', 'null', '-'], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.on('data', (data) => (text += data));
  child.stdin.end(Buffer.concat(jpegs));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [, user, system] = /utime=([\d.]+)s stime=([\d.]+)s/.exec(text) ?? [];
  if (code !== 0 || user === undefined) throw new Error(`ffmpeg ended with ${code}: ${text.slice(-400)}`);
  return Number(user) + Number(system);
}
