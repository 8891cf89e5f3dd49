import type { CaptionObservations } from '@adit/analyses/captions/observations';
import type { ObjectObservations } from '@adit/analyses/objects/observations';
import type { SceneObservations } from '@adit/analyses/scenes/observations';
import { NO_DICTIONARIES, type LabelDictionaries } from '@adit/dictionaries';
import { sealState, unsealState, type Segment } from '@adit/module-kit';
import { CONTEXT, FPS, unit } from '../../face_recognition/testing/scenes.js';
import { ObjectSceneArguments } from '../args.js';
import { confidenceOf } from '../confidence.js';
import { ObjectFold, type ObjectState } from '../fold.js';
import { namingIn } from '../labels.js';

/** Synthetic films: objects at some samples, with position and score. */
export interface Thing {
  label: string;
  samples: number[];
  /** Left edge, 0..1. */
  x?: number;
  /** Score of the network; .52 is a confidence of 70 %. */
  score?: number;
  /** Share of a face in it, 0..1; not analysed when omitted. */
  face?: number | null;
}

export const SIZE = { y: 0.2, w: 0.2, h: 0.3 };

/** Returns the observations of samples `from` to `to`, inclusive, at `rate` samples per second. */
export function observe(things: Thing[], from: number, to: number, rate = 2): ObjectObservations {
  const place = (sample: number) => {
    const frame = Math.ceil((sample * FPS) / rate);
    return { frame, time: Number((frame / FPS).toFixed(6)) };
  };
  return {
    sampled: Array.from({ length: to - from + 1 }, (_, index) => place(from + index)),
    tracks: things.flatMap(({ label, samples, x = 0.1, score = 0.7, face = null }, id) => {
      const sightings = samples
        .filter((sample) => sample >= from && sample <= to)
        .map((sample) => ({ ...place(sample), box: { x, ...SIZE }, score }));
      const best = sightings[0];
      if (best === undefined) return [];
      const picture = (name: string) => ({ key: `${name}-${from}-${id}`, width: 160, height: 90 });
      return [
        {
          id,
          label,
          sightings,
          face,
          thumbnail: picture('thumbnail'),
          keyFrame: { frame: best.frame, picture: picture('frame') },
        },
      ];
    }),
  };
}

/** Scene of the film at some samples. */
interface Place {
  label: string;
  samples: number[];
  /** 0..1 */
  score?: number;
}

/** Returns the observations of `scenes` for the same samples. */
function observePlaces(places: Place[], { sampled }: ObjectObservations, rate = 2): SceneObservations {
  const at = (time: number): Place[] => places.filter(({ samples }) => samples.includes(Math.floor(time * rate)));
  const seen = sampled.map(({ frame, time }) => ({
    frame,
    time,
    scenes: at(time).map(({ label, score = 0.9 }) => ({ label, score })),
  }));
  const views = places.flatMap(({ label }) => {
    const best = seen.find(({ scenes }) => scenes.some((scene) => scene.label === label));
    const picture = (name: string) => ({ key: `${name}-${best?.frame}-${label}`, width: 160, height: 90 });
    return best === undefined
      ? []
      : [{ label, frame: best.frame, thumbnail: picture('scene'), picture: picture('frame') }];
  });
  return { sampled: seen, views };
}

/** Returns the observations of `captions` for the same samples, with one shot per sentence. */
function observeSentences(sentences: Place[], { sampled }: ObjectObservations): CaptionObservations {
  const captions = sentences.flatMap(({ label: text, samples, score: confidence = 0.9 }) => {
    const shown = sampled.filter(({ time }) => samples.includes(Math.floor(time * 2)));
    const [first, last] = [shown[0], shown.at(-1)];
    if (first === undefined || last === undefined) return [];
    const picture = { key: `sentence-${first.frame}`, width: 160, height: 90 };
    return [{ text, confidence, from: first.frame, to: last.frame, frame: first.frame, thumbnail: picture, picture }];
  });
  return { sampled, captions };
}

export function objectFold(args: object = {}, dictionaries: LabelDictionaries = NO_DICTIONARIES): ObjectFold {
  const { min_confidence, language } = ObjectSceneArguments.parse(args);
  return new ObjectFold(min_confidence / 100, confidenceOf, namingIn(language, dictionaries));
}

interface FilmShape {
  last: number;
  rate?: number;
  sizes?: number[];
  places?: Place[];
  /** Captions, at two samples per second. */
  sentences?: Place[];
  /** Only scenes are analysed. */
  alone?: boolean;
}

/** Folds samples 0..`last` in chunks of these sizes (repeated), storing and reading back the state after each. */
export function foldThings(
  fold: ObjectFold,
  things: Thing[],
  { last, rate = 2, sizes = [60], places, sentences, alone = false }: FilmShape,
): { segments: Segment[]; largestState: number } {
  const owner = { id: 'object_scene_recognition', version: 1 };
  let state = fold.start(CONTEXT);
  let largestState = 0;
  const segments: Segment[] = [];
  for (let from = 0, chunk = 0; from <= last; chunk += 1) {
    const to = Math.min(last, from + (sizes[chunk % sizes.length] as number) - 1);
    const objects = observe(things, from, to, rate);
    const scenes = places === undefined ? undefined : observePlaces(places, objects);
    const captions = sentences && { captions: observeSentences(sentences, objects) };
    const observations = { ...(alone ? {} : { objects }), ...(scenes && { scenes }), ...captions };
    const step = fold.fold(state, { unit: unit(), observations }, { rate });
    segments.push(...step.segments);
    const stored = sealState(owner, step.state);
    largestState = Math.max(largestState, Buffer.byteLength(stored));
    state = unsealState<ObjectState>(owner, stored) as ObjectState;
    from = to + 1;
  }
  segments.push(...fold.close(state).segments);
  return { segments, largestState };
}
