import { elementAt } from '@adit/contracts';
import {
  defineAnalysis,
  frameAt,
  frameRate,
  framesFor,
  type AnalysisContext,
  type AnalysisInput,
} from '@adit/inference';
import { z } from 'zod';
import { cosine } from '../faces/embedding.js';
import { ahead } from '../tracking/ahead.js';
import { PictureKeeper } from '../tracking/picture-keeper.js';
import { embed } from './embed.js';
import { ImageEmbeddingObservations } from './observations.js';
import { encodeDirection } from './vector-code.js';

const ImageEmbeddingArguments = z.strictObject({
  /** Analysed frames per second of a film; places stay longer in the picture than people. */
  rate: frameRate(1),
  /** Name of the user's network that replaces the built-in one. */
  embedding: z.string().min(1).optional(),
  /**
   * With that network: pixels of the shorter side of a film's frames, while photos keep their size; when omitted, 600
   * for both.
   */
  side: z.int().positive().optional(),
});
type ImageEmbeddingArguments = z.infer<typeof ImageEmbeddingArguments>;

const NETWORK = 'image-embedding';
/** The built-in network takes 224 pixels; this leaves some for averaging, and a useful thumbnail. */
const SHORTER_SIDE = 256;
/** Concurrent frames: the next ones are decoded and scaled while the network processes the current one. */
const FRAMES_IN_FLIGHT = 3;
/** Cosine from which two frames look much the same, and one picture serves both. */
const SAME_VIEW = 0.85;

/** Embeds every sampled frame as a whole, as a direction in a space where nearness means similarity. See README.md. */
export default defineAnalysis({
  name: 'image-embedding',
  family: 'landmark',
  version: 1,
  args: ImageEmbeddingArguments,
  observations: ImageEmbeddingObservations,
  models: ({ embedding = NETWORK }) => [embedding],
  input: {
    kind: 'frames',
    specs: ({ rate, embedding, side }) => [
      embedding === undefined ? { rate, shorterSide: SHORTER_SIDE } : framesFor(rate, side),
    ],
  },
  analyse,
});

async function analyse(
  input: AnalysisInput,
  context: AnalysisContext<ImageEmbeddingArguments>,
): Promise<ImageEmbeddingObservations> {
  const { networks, signal } = context;
  const { embedding = NETWORK } = context.args;
  const network = networks[embedding];
  const [pack] = input.packs;
  if (!network || !pack) throw new RangeError(`The analysis image-embedding needs ${embedding} and a pack of frames.`);
  const vectors = await ahead(pack.frames, FRAMES_IN_FLIGHT, async (_, index) => {
    signal.throwIfAborted();
    return pack.withPicture(index, (picture) => embed(picture, network));
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
      const thumbnail = await pack.withPicture(index, (picture) => keeper.thumbnail(index, picture));
      return { frame: frameAt(pack, index).frame, thumbnail, picture: await keeper.keyFrame(index) };
    }),
  };
}
