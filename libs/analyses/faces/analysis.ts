import { zip } from '@adit/contracts';
import {
  defineAnalysis,
  frameAt,
  frameRate,
  type AnalysisContext,
  type AnalysisInput,
  type FramePack,
} from '@adit/inference';
import { z } from 'zod';
import { ahead } from '../tracking/ahead.js';
import { cutsBetween } from '../tracking/shots.js';
import { Bodies } from './bodies.js';
import { settleTracks, type EmbeddedTrack } from './join.js';
import { Heads } from './heads.js';
import { FaceObservations } from './observations.js';
import { PictureKeeper } from '../tracking/picture-keeper.js';
import { bestSighting, describeTrack } from './describe.js';
import { cutOut, closeView, type CloseView } from './close-view.js';
import { pairedPack } from './paired-pack.js';
import { Tracker } from '../tracking/track.js';
import { sampledFaces } from './sampled-faces.js';
import type { Sighting, Tracklet } from './sighting.js';
import { chooseViews } from './view.js';

const FaceArguments = z.strictObject({
  /** Pixels of the frame's shorter side in the detector; never enlarged. */
  detectionScale: z.int().min(100).max(2000).default(600),
  /** Analysed frames per second of a film. */
  rate: frameRate(),
  /** Name of the user's network that embeds the same views in addition; optional. */
  embedding: z.string().min(1).optional(),
  /** Requests facial expressions. Datasets use it; jobs do not. */
  expressions: z.literal(true).optional(),
});
type FaceArguments = z.infer<typeof FaceArguments>;

/**
 * Concurrent closely examined faces: the next one is cropped while networks process the current one.
 */
const FRAMES_IN_FLIGHT = 3;

/** Score of a certain face that also has other evidence; one in thirty is below. */
const SURE = 0.87;
/**
 * Number of tracks per unit whose body is checked, the largest first: in crowds hardly any is false, and each check
 * takes up to three detector runs.
 */
const MAX_DOUBTFUL = 40;

const MODELS = [
  'ultraface',
  'blazeface',
  'facemesh',
  'face-embedding',
  'face-age-gender',
  'face-attributes',
  'general-c',
] as const;
const MODELS_AND_EXPRESSIONS = [...MODELS, 'face-expression'] as const;
/** Name given by a job, typed as text other than the fixed names, whose sessions always exist. */
type OtherModel = string & Record<never, never>;
type Model = (typeof MODELS_AND_EXPRESSIONS)[number] | OtherModel;
type Context = AnalysisContext<FaceArguments, Model>;

/** Finds, follows and describes every face, unfiltered; modules decide which to keep. See README.md. */
export default defineAnalysis({
  name: 'faces',
  family: 'face',
  version: 8,
  args: FaceArguments,
  observations: FaceObservations,
  models: ({ expressions, embedding }): readonly Model[] => {
    const own = expressions ? MODELS_AND_EXPRESSIONS : MODELS;
    return embedding === undefined ? own : [...own, embedding];
  },
  input: {
    kind: 'frames',
    specs: ({ detectionScale, rate }) => [
      { rate, shorterSide: detectionScale },
      { rate, shorterSide: 'native' },
    ],
  },
  analyse,
});

async function analyse(input: AnalysisInput, context: Context): Promise<FaceObservations> {
  const { args, networks, signal } = context;
  const [small, large] = input.packs;
  if (!small || !large) throw new RangeError('The analysis faces needs two packs: detection size and native.');
  const native = pairedPack(small, large);
  const sampled = small.frames.map(({ frame, time }) => ({ frame, time: rounded(time, 6) }));
  const sizeOf = (face: Sighting): number => {
    const frame = frameAt(native, face.index);
    return Math.min(face.w * frame.width, face.h * frame.height);
  };

  // A film's native frames are decoded for the best views only; a photo is used at once.
  const photo = input.unit.kind === 'image' ? native.picture(0) : null;
  photo?.catch(() => undefined);
  const seen = await sampledFaces(small, photo, networks, signal);
  // A cut is recognised by the frames before and after it.
  const tracker = new Tracker<Sighting>();
  const cuts = cutsBetween(seen.map(({ signature }) => signature));
  for (const [{ sightings }, cut] of zip(seen, cuts)) tracker.add(sightings, cut);

  const embedded = await embedViews(tracker.finish(), native, sizeOf, context);

  const keeper = new PictureKeeper(context.keepPicture, small);
  const faces = await withoutOtherThings(settleTracks(embedded), { small, native, sizeOf }, context);
  const described = await ahead(faces, FRAMES_IN_FLIGHT, (track, id) => {
    signal.throwIfAborted();
    const expressions = args.expressions ?? false;
    return describeTrack(id, track, { small, native, sizeOf, keeper, networks, expressions });
  });
  return { sampled, tracks: described };
}

/** Drops doubtful tracks that are part of another face, such as an ear, or have no body, such as a wheel or a dog. */
async function withoutOtherThings<Track extends EmbeddedTrack<CloseView>>(
  tracks: readonly Track[],
  { small, native, sizeOf }: { small: FramePack; native: FramePack; sizeOf: (sighting: Sighting) => number },
  { networks, signal }: Context,
): Promise<Track[]> {
  const heads = new Heads(
    native,
    tracks.filter((track) => !isInDoubt(track)).flatMap(({ sightings }) => sightings),
  );
  const bodies = new Bodies(small, native, networks['general-c']);
  const others = new Set<Track>();
  const doubted: { track: Track; best: Sighting }[] = [];
  for (const track of tracks.filter(isInDoubt)) {
    const best = bestSighting(track, sizeOf);
    if (heads.hold(best)) others.add(track);
    else doubted.push({ track, best });
  }
  const largest = doubted
    .sort((a, b) => sizeOf(b.best) - sizeOf(a.best))
    .slice(0, MAX_DOUBTFUL)
    // Sorted by frame, so that a frame with several tracks is decoded once.
    .sort((a, b) => a.best.index - b.best.index);
  await ahead(largest, FRAMES_IN_FLIGHT, async ({ track, best }) => {
    signal.throwIfAborted();
    if (!(await bodies.isSeen(best))) others.add(track);
  });
  return tracks.filter((track) => !others.has(track));
}

function isInDoubt({ views, sightings }: EmbeddedTrack<CloseView>): boolean {
  return views.length === 0 || sightings.every(({ score }) => score < SURE);
}

/** Embeds the chosen views of every track. */
async function embedViews(
  tracks: Tracklet[],
  native: FramePack,
  sizeOf: (sighting: Sighting) => number,
  { args, networks, signal }: Context,
): Promise<EmbeddedTrack<CloseView>[]> {
  const comparing = args.embedding === undefined ? undefined : networks[args.embedding];
  const embedded: EmbeddedTrack<CloseView>[] = [];
  const chosen = tracks.flatMap((track) => {
    const to: EmbeddedTrack<CloseView> = { sightings: track.sightings, views: [] };
    embedded.push(to);
    return chooseViews(track, sizeOf).map((sighting) => ({ sighting, to }));
  });
  // Sorted by frame, so that a native frame with several faces is decoded once.
  chosen.sort((a, b) => a.sighting.index - b.sighting.index);
  const best = new Map<EmbeddedTrack<CloseView>, { view: CloseView; order: number }>();
  const views = await ahead(chosen, FRAMES_IN_FLIGHT, async ({ sighting, to }, order) => {
    signal.throwIfAborted();
    const view = await closeView(await cutOut(native, sighting), sighting, sizeOf(sighting), {
      mesh: networks.facemesh,
      embedding: networks['face-embedding'],
      other: comparing,
    });
    if (view === null) return null;
    // Only the best view of a track keeps its pixels, the earlier one of two equals.
    const { view: other, order: before } = best.get(to) ?? { view: null, order };
    if (other !== null && (other.quality > view.quality || (other.quality === view.quality && before < order))) {
      view.cutout = null;
    } else {
      if (other !== null) other.cutout = null;
      best.set(to, { view, order });
    }
    return view;
  });
  for (const [{ to }, view] of zip(chosen, views)) if (view !== null) to.views.push(view);
  return embedded;
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
