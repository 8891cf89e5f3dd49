// Time of RapidOCR to read a film's frames, for comparison.
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonWith } from './python.mjs';

const run = promisify(execFile);
export const RAPIDOCR = '3.10.0';
const TIMEOUT_MS = 1_200_000;

/** Seconds by the clock, frames, and the lines that were read, once it has been started and has its frames in memory. */
export async function rapidOcrLines(film, { width, height, rate }, scratch) {
  const python = await pythonWith('rapidocr', {
    name: `bench-peer-rapidocr-${RAPIDOCR}`,
    installs: [[`rapidocr==${RAPIDOCR}`, 'onnxruntime', 'opencv-python-headless']],
  });
  const folder = join(scratch, 'rapidocr-frames');
  await mkdir(folder, { recursive: true });
  const filter = `fps=${rate},scale=${width}:${height}`;
  await run('ffmpeg', ['-v', 'error', '-i', film, '-vf', filter, '-y', join(folder, '%05d.png')]);
  const { stdout } = await run(python, [join(import.meta.dirname, 'read-frames.py'), folder], { timeout: TIMEOUT_MS });
  return JSON.parse(stdout.trim().split('\n').at(-1));
}
