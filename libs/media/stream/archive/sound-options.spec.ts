/** @needs ffmpeg */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { ffmpegProgram, transcode } from '@adit/testing';
import { soundOptions } from './copier.js';

/** Largest absolute value of a file's sound; 1 is full scale. */
function peakOf(path: string): number {
  const decoded = execFileSync(ffmpegProgram(), ['-v', 'error', '-i', path, '-f', 'f32le', '-'], {
    maxBuffer: 1 << 26,
  });
  const values = new Float32Array(decoded.buffer.slice(decoded.byteOffset, decoded.byteOffset + decoded.byteLength));
  return values.reduce((peak, value) => Math.max(peak, Math.abs(value)), 0);
}

describe('sound of recordings', () => {
  it.each([
    ['mono', 1, 0.8],
    ['stereo', 2, 0.8],
    ['5.1', 6, 0.8],
  ])('of %s stays within full scale', async (layout, channels, loud) => {
    const tone = Array.from({ length: channels }, () => `${loud}*sin(2*PI*500*t)`).join('|');
    const film = ['-f', 'lavfi', '-i', `aevalsrc=${tone}:c=${layout}:d=1:s=48000`, '-c:a', 'flac'];
    const given = await transcode(`loud-${channels}.flac`, film);
    const kept = await transcode(`kept-${channels}.mp4`, ['-i', given, ...soundOptions({ codec: 'flac', channels })]);
    const peak = peakOf(kept);
    expect(peak).toBeLessThanOrEqual(1);
    expect(peak).toBeGreaterThan(0.5);
  });
});
