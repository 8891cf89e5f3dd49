import { elementAt } from '@adit/contracts';
import {
  boxMap,
  defineAnalysis,
  frameAt,
  frameRate,
  inputOf,
  outputNamed,
  runOnPicture,
  type AnalysisContext,
  type AnalysisInput,
  type NetworkSession,
  type RgbImage,
} from '@adit/inference';
import { z } from 'zod';
import { cosine, normalise } from '../faces/embedding.js';
import { ahead } from '../tracking/ahead.js';
import { PictureKeeper } from '../tracking/picture-keeper.js';
import { ImageEmbeddingObservations } from './observations.js';
import { encodeDirection } from './vector-code.js';

const ImageEmbeddingArguments = z.strictObject({
  /** Frames of a film looked at in each second; places stay longer in the picture than people. */
  rate: frameRate(1),
});
type ImageEmbeddingArguments = z.infer<typeof ImageEmbeddingArguments>;

const NETWORK = 'image-embedding';
/** The network sees 224 pixels; this leaves it something to average, and a thumbnail worth looking at. */
const SHORTER_SIDE = 256;
/** Frames under way at once: the next are decoded and shrunk while the network looks at the present one. */
const FRAMES_IN_FLIGHT = 3;
/** From this cosine on two frames look much the same, and one picture serves both. */
const SAME_VIEW = 0.85;

/** What every sampled frame shows as a whole, as a direction in a space where likeness is nearness. See README.md. */
export default defineAnalysis({
  name: 'image-embedding',
  family: 'landmark',
  version: 1,
  args: ImageEmbeddingArguments,
  observations: ImageEmbeddingObservations,
  models: [NETWORK],
  input: { kind: 'frames', specs: ({ rate }) => [{ rate, shorterSide: SHORTER_SIDE }] },
  analyse,
});

async function analyse(
  input: AnalysisInput,
  context: AnalysisContext<ImageEmbeddingArguments, typeof NETWORK>,
): Promise<ImageEmbeddingObservations> {
  const { networks, signal } = context;
  const [pack] = input.packs;
  if (!pack) throw new RangeError('The analysis image-embedding needs a pack of frames.');
  const network = networks[NETWORK];
  const vectors = await ahead(pack.frames, FRAMES_IN_FLIGHT, async (_, index) => {
    signal.throwIfAborted();
    return embed(await pack.picture(index), network);
  });

  const firsts: { index: number; vector: Float32Array }[] = [];
  const views = vectors.map((vector, index) => {
    const known = firsts.findIndex((first) => cosine(first.vector, vector) >= SAME_VIEW);
    return known === -1 ? firsts.push({ index, vector }) - 1 : known;
  });
  const keeper = new PictureKeeper(context.keepPicture, pack);
  return {
    network: network.digest,
    dimensions: vectors[0]?.length ?? network.manifest.dimensions ?? 1,
    sampled: pack.frames.map(({ frame, time }, index) => ({
      frame,
      time: Number(time.toFixed(6)),
      embedding: encodeDirection(elementAt(vectors, index)),
      view: elementAt(views, index),
    })),
    views: await ahead(firsts, 1, async ({ index }) => {
      signal.throwIfAborted();
      const thumbnail = await keeper.thumbnail(index, await pack.picture(index));
      return { frame: frameAt(pack, index).frame, thumbnail, picture: await keeper.keyFrame(index) };
    }),
  };
}

/** The whole picture, stretched to the network's square; of length 1. */
async function embed(picture: RgbImage, network: NetworkSession): Promise<Float32Array> {
  const { width, height } = inputOf(network);
  const whole = { x: 0, y: 0, w: picture.width, h: picture.height };
  const outputs = await runOnPicture(network, picture, boxMap(whole, width, height));
  return normalise(outputNamed(outputs, 'embedding').data);
}
