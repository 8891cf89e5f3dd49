import { FaceObservations } from '@adit/analyses/faces/observations';
import { StandardArguments } from '@adit/contracts';
import { addStretch, appearance, defineModule, takeAll, takeFinal } from '@adit/mining';
import type { Fold, Instant, Mark, Segment, Stretch } from '@adit/mining';
import { z } from 'zod';

const CrowdArguments = StandardArguments.extend({
  min_people: z.int().min(2).max(100).default(3).describe('From how many faces at once it is a crowd.'),
});

/** JSON: `open` holds what may still go on, with the most faces seen at once. */
type CrowdState = { source: number; samples: number; open: Stretch<number>[] };

class CrowdFold implements Fold<CrowdState> {
  constructor(private readonly minPeople: number) {}

  start(context: { sourceIndex: number | null }): CrowdState {
    return { source: context.sourceIndex ?? 0, samples: 0, open: [] };
  }

  fold(state: CrowdState, { observations }: { observations: Record<string, unknown> }) {
    const { sampled, tracks } = FaceObservations.parse(observations['faces']);
    const open = [...state.open];
    let at: Instant | null = null;
    for (const [index, { frame, time }] of sampled.entries()) {
      at = { frame, time, sample: state.samples + index };
      const marks = tracks
        .flatMap((track) => track.sightings.filter((sighting) => sighting.frame === frame))
        .map(({ box }): Mark => [frame, box.x, box.y, box.w, box.h]);
      if (marks.length >= this.minPeople) addStretch(open, appearance('crowd', at, marks, marks.length), Math.max);
    }
    const final = at === null ? [] : takeFinal(open, at);
    return {
      state: { ...state, samples: state.samples + sampled.length, open },
      segments: final.map((stretch) => segmentOf(stretch, state.source)),
    };
  }

  close(state: CrowdState) {
    return { segments: takeAll([...state.open]).map((stretch) => segmentOf(stretch, state.source)), summaries: [] };
  }
}

function segmentOf({ start, end, marks, extra }: Stretch<number>, sourceIndex: number): Segment {
  return {
    sourceIndex,
    frameStart: start.frame,
    frameEnd: end.frame,
    timeStart: start.time,
    timeEnd: end.time,
    type: 'crowd',
    label: 'crowd',
    confidence: 1,
    meta: { label: 'crowd', most_people: extra },
    detections: marks.kept.map(([frame, x = 0, y = 0, w = 0, h = 0]) => ({
      frame_index: frame,
      type: 'face_bbox',
      data: { x, y, w, h },
    })),
    thumbnail: null,
    keyFrame: null,
  };
}

export default defineModule({
  id: 'crowd',
  resultName: 'crowd',
  aliases: [],
  version: 1,
  args: CrowdArguments,
  media: ['video'],
  models: () => [],
  needs: () => [{ analysis: 'faces', args: { detectionScale: 600 } }],
  open: (args) => Promise.resolve(new CrowdFold(args.min_people)),
});
