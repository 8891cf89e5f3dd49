import { elementAt } from '@adit/contracts';
import {
  defineAnalysis,
  frameAt,
  frameRate,
  framesFor,
  type AnalysisContext,
  type AnalysisInput,
  type NetworkSession,
} from '@adit/inference';
import { textDecoderOf } from '@adit/inference/families/text-decoder/naming';
import { z } from 'zod';
import { ahead } from '../tracking/ahead.js';
import { PictureKeeper } from '../tracking/picture-keeper.js';
import { cutsBetween, frameSignature } from '../tracking/shots.js';
import { compareCaptions } from './compare.js';
import { CaptionObservations } from './observations.js';
import { captionerOf, writeCaption } from './write-caption.js';

const CaptionArguments = z.strictObject({
  /** Frames per second in which cuts are searched. */
  rate: frameRate(),
  /** Name of the picture encoder. */
  model: z.string().min(1).default('captioning'),
  /** Pixels of the shorter side of a film's frames, while photos keep their size; when omitted, 600 for both. */
  side: z.int().positive().optional(),
});
type CaptionArguments = z.infer<typeof CaptionArguments>;

/** Frames processed concurrently while cuts are searched. */
const FRAMES_IN_FLIGHT = 3;

/** Describes every shot, or a photo, in a sentence. See README.md. */
export default defineAnalysis({
  name: 'captions',
  family: 'object',
  version: 2,
  args: CaptionArguments,
  observations: CaptionObservations,
  models: ({ model }) => [model, textDecoderOf(model)],
  input: { kind: 'frames', specs: ({ rate, side }) => [framesFor(rate, side)] },
  analyse,
  compare: compareCaptions,
});

async function analyse(input: AnalysisInput, context: AnalysisContext<CaptionArguments>): Promise<CaptionObservations> {
  const { networks, signal } = context;
  const { model } = context.args;
  const [pack] = input.packs;
  if (!pack) throw new RangeError('The analysis captions needs a pack of frames.');
  const captioner = await captionerOf(networkOf(networks, model), networkOf(networks, textDecoderOf(model)));
  const signatures = await ahead(pack.frames, FRAMES_IN_FLIGHT, async (_, index) => {
    signal.throwIfAborted();
    return pack.withPicture(index, frameSignature);
  });
  const keeper = new PictureKeeper(context.keepPicture, pack);
  const captions: CaptionObservations['captions'] = [];
  for (const { first, last } of shotsOf(cutsBetween(signatures))) {
    // The middle frame is used, since a shot fades or moves at its ends.
    const middle = Math.floor((first + last) / 2);
    await pack.withPicture(middle, async (picture) => {
      const caption = await writeCaption(captioner, picture, signal);
      if (caption === null) return;
      captions.push({
        text: caption.text,
        confidence: Number(caption.confidence.toFixed(4)),
        from: frameAt(pack, first).frame,
        to: frameAt(pack, last).frame,
        frame: frameAt(pack, middle).frame,
        thumbnail: await keeper.thumbnail(captions.length, picture),
        picture: await keeper.keyFrame(middle),
      });
    });
  }
  return {
    sampled: pack.frames.map(({ frame, time }) => ({ frame, time: Number(time.toFixed(6)) })),
    captions,
  };
}

function networkOf(networks: AnalysisContext<unknown>['networks'], name: string): NetworkSession {
  const network = networks[name];
  if (!network) throw new RangeError(`The analysis captions was given no network ${name}.`);
  return network;
}

/** Splits samples into shots; `cuts` tells whether a cut precedes each sample. */
function shotsOf(cuts: readonly boolean[]): { first: number; last: number }[] {
  const starts = cuts.flatMap((isCut, index) => (isCut || index === 0 ? [index] : []));
  return starts.map((first, shot) => ({
    first,
    last: shot + 1 < starts.length ? elementAt(starts, shot + 1) - 1 : cuts.length - 1,
  }));
}
