/** @needs ffmpeg, weights */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ImageFacts } from '@adit/contracts';
import { ModelRepository, SessionPool, type FramePack, type NetworkSession } from '@adit/inference';
import { decodeImage, openFramePackBuffer } from '@adit/media';
import { modelsRoot } from '@adit/models';
import { sampleMedia, transcode } from '@adit/testing';
import { Bodies } from './bodies.js';
import type { Sighting } from './sighting.js';
import { foundFace } from '../testing/found-face.js';

/** Three women in the left half, a wall in the right one. */
const WIDTH = 1600;
const HEIGHT = 600;
let repository: ModelRepository;
let pool: SessionPool;
let frames: FramePack;
let network: NetworkSession;
let bodies: Bodies;

beforeAll(async () => {
  const path = await transcode('people-beside-a-wall.png', [
    ...['-i', sampleMedia().groups['sample1']!, '-vf', `scale=-2:${HEIGHT},pad=${WIDTH}:${HEIGHT}:0:0:gray`],
    ...['-frames:v', '1'],
  ]);
  const facts: ImageFacts = { kind: 'image', format: 'png', width: WIDTH, height: HEIGHT };
  const specs = [{ rate: 2, shorterSide: 'native' as const }];
  const [pack] = (await decodeImage({ path, facts, specs })).values();
  frames = await openFramePackBuffer(pack!);
  repository = await ModelRepository.open({ roots: [modelsRoot()] });
  pool = new SessionPool();
  ({ network } = await pool.acquire(repository.resolve('general-c')));
  bodies = new Bodies(frames, frames, network);
});
afterAll(async () => {
  await pool.close();
  await repository.close();
});

/** A detected face by its centre and side in pixels. */
const faceAt = (x: number, y: number, side: number): Sighting =>
  foundFace({ width: WIDTH, height: HEIGHT }, { x: x - side / 2, y: y - side / 2, w: side, h: side });

describe('the body of a face', () => {
  it('is found where somebody stands, and not on a wall', async () => {
    expect(await bodies.isSeen(faceAt(300, 250, 120))).toBe(true);
    expect(await bodies.isSeen(faceAt(1350, 250, 120))).toBe(false);
    expect(await bodies.isSeen(faceAt(1350, 250, 12))).toBe(false);
  });

  it('is not required for a face that fills the picture', async () => {
    expect(await bodies.isSeen(faceAt(1250, 300, 310))).toBe(true);
  });

  it('is not required with a network that has no label for people', async () => {
    const other = { ...network, manifest: { ...network.manifest, labels: ['helmet'] } };
    expect(await new Bodies(frames, frames, other).isSeen(faceAt(1350, 250, 120))).toBe(true);
  });
});
