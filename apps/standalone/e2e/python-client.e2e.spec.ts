/** @needs ffmpeg, weights, build, time */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { meanColourGraph, OUTSIDE_FACTORS, outsideColourGraph } from '@adit/inference/spec-graph';
import { pythonWith, sampleMedia } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EngineUnderTest } from './engine-under-test.js';

const run = promisify(execFile);
/** Before jest's own patience is over, which would leave the process behind. */
const TIMEOUT_MS = 900_000;
const root = join(import.meta.dirname, '../../..');
const client = join(root, 'libs/client-python');
const python = await pythonWith(join(client, 'tests/requirements.txt'));

/** Media of the tests and of the guide, under the names of the guide. */
async function prepare(folder: string): Promise<void> {
  const { faces, cap13 } = sampleMedia();
  const graph = await readFile(join(root, 'models/general-c/1/model.onnx'));
  await mkdir(join(folder, 'people/Franck'), { recursive: true });
  await mkdir(join(folder, 'people/Audrey'));
  await mkdir(join(folder, 'outside'));
  const photo = faces['franck_02888']!;
  // As protocol buffers have it, what is appended counts: the same graph with a note in `doc_string`.
  const note = Buffer.from('trained on more photos');
  await Promise.all([
    writeFile(join(folder, 'best.onnx'), graph),
    writeFile(join(folder, 'best-2.onnx'), Buffer.concat([graph, Buffer.from([0x32, note.length]), note])),
    writeFile(join(folder, 'colours.onnx'), meanColourGraph(32)),
    writeFile(join(folder, 'outside/best.onnx'), outsideColourGraph(32, 'best.onnx.data')),
    writeFile(join(folder, 'outside/best.onnx.data'), OUTSIDE_FACTORS),
    writeFile(
      join(folder, 'labels.txt'),
      ['person', ...Array.from({ length: 79 }, (_, at) => `thing ${at}`)].join('\n'),
    ),
    copyFile(photo, join(folder, 'site.jpg')),
    copyFile(photo, join(folder, 'franck.jpg')),
    copyFile(cap13, join(folder, 'site.mp4')),
    copyFile(faces['franck_02221']!, join(folder, 'people/Franck/1.jpg')),
    copyFile(faces['franck_04000']!, join(folder, 'people/Franck/2.jpg')),
    copyFile(faces['audrey']!, join(folder, 'people/Audrey/1.jpg')),
    writeFile(join(folder, 'people/Audrey/torn.jpg'), 'no picture'),
  ]);
}

const reason = typeof python === 'string' ? '' : ` (skipped: no python: ${python.reason})`;
describe(`the Python client${reason}`, () => {
  let engine: EngineUnderTest;
  beforeAll(async () => {
    if (typeof python !== 'string') return;
    engine = await EngineUnderTest.start({ localRoots: [] });
    await prepare(join(engine.folder, 'media'));
  });
  afterAll(() => engine?.close());

  (typeof python === 'string' ? it : it.skip)('passes its tests, of which the guide is one', async () => {
    const env = {
      ...process.env,
      ADIT_URL: engine.api.url,
      ADIT_API_KEY: engine.key,
      ADIT_TEST_MEDIA: join(engine.folder, 'media'),
      PYTHONPATH: client,
      PYTHONDONTWRITEBYTECODE: '1',
      // The engine is here, whatever way leads out.
      ...{ NO_PROXY: '*', no_proxy: '*' },
    };
    const program = typeof python === 'string' ? python : '';
    const args = ['-m', 'pytest', '-q', '--color=no', '-p', 'no:cacheprovider', client];
    const { stdout } = await run(program, args, {
      env,
      cwd: engine.folder,
      maxBuffer: 8 << 20,
      timeout: TIMEOUT_MS,
    }).catch(({ stdout: printed, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${printed}\n${stderr}`);
    });
    expect(stdout).toMatch(/\b\d+ passed\b/);
    expect(stdout).not.toMatch(/skipped|xfailed/);
  });
});
