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
import { ahead } from '../tracking/ahead.js';
import { PictureKeeper } from '../tracking/picture-keeper.js';
import { classify, type Likely } from './classify.js';
import { SceneObservations } from './observations.js';

const SceneArguments = z.strictObject({
  /** Frames of a film looked at in each second. */
  rate: frameRate(),
  /** Name of the classifier; left out, it is the one that is installed as `scenes`. */
  model: z.string().min(1).optional(),
  /** Pixels of the shorter side of a film's frames, where photos are looked at as they are; left out, 600 for both. */
  side: z.int().positive().optional(),
});
type SceneArguments = z.infer<typeof SceneArguments>;

const DEFAULT_CLASSIFIER = 'scenes';
/** Frames under way at once: the next are decoded and shrunk while the network looks at the present one. */
const FRAMES_IN_FLIGHT = 3;
/** Best score from which a label is worth a picture. */
const PICTURED_FROM = 0.35;

/** Says what every sampled frame shows as a whole, with `scenes` or the classifier that a job names. See README.md. */
export default defineAnalysis({
  name: 'scenes',
  family: 'object',
  version: 1,
  args: SceneArguments,
  observations: SceneObservations,
  models: ({ model = DEFAULT_CLASSIFIER }) => [model],
  input: { kind: 'frames', specs: ({ rate, side }) => [framesFor(rate, side)] },
  analyse,
});

async function analyse(input: AnalysisInput, context: AnalysisContext<SceneArguments>): Promise<SceneObservations> {
  const { networks, signal } = context;
  const { model = DEFAULT_CLASSIFIER } = context.args;
  const network = networks[model];
  if (!network) throw new RangeError(`The analysis scenes was given no network ${model}.`);
  const [pack] = input.packs;
  if (!pack) throw new RangeError('The analysis scenes needs a pack of frames.');
  const looks = await ahead(pack.frames, FRAMES_IN_FLIGHT, async (_, index) => {
    signal.throwIfAborted();
    return classify(await pack.picture(index), network);
  });

  const keeper = new PictureKeeper(context.keepPicture, pack);
  const views = await ahead([...bestViews(looks)], 1, async ([label, { index }], id) => {
    signal.throwIfAborted();
    const thumbnail = await keeper.thumbnail(id, await pack.picture(index));
    return { label, frame: frameAt(pack, index).frame, thumbnail, picture: await keeper.keyFrame(index) };
  });
  return {
    sampled: pack.frames.map(({ frame, time }, index) => ({
      frame,
      time: Number(time.toFixed(6)),
      scenes: elementAt(looks, index).map(({ label, score }) => ({ label, score: Number(score.toFixed(4)) })),
    })),
    views,
  };
}

/** By label, the frame that shows it best, in the order of frames; labels that are never likely are left out. */
function bestViews(looks: readonly Likely[]): Map<string, { index: number; score: number }> {
  const best = new Map<string, { index: number; score: number }>();
  for (const [index, look] of looks.entries()) {
    for (const { label, score } of look) {
      if (score >= Math.max(PICTURED_FROM, (best.get(label)?.score ?? 0) + 1e-6)) best.set(label, { index, score });
    }
  }
  return new Map([...best].sort(([, a], [, b]) => a.index - b.index));
}
