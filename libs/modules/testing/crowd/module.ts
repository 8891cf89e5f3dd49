import { FaceObservations } from '@adit/analyses/faces/observations';
import { StandardArguments } from '@adit/contracts';
import {
  appearance,
  boxDetection,
  boxMark,
  defineModule,
  NO_PORTRAIT,
  segmentOfInterval,
  IntervalFold,
} from '@adit/module-kit';
import type { FoldInput, SampledDetections, Interval, IntervalSource, IntervalState } from '@adit/module-kit';
import { z } from 'zod';

const CrowdArguments = StandardArguments.extend({
  min_people: z.int().min(2).max(100).default(3).describe('From how many faces at once it is a crowd.'),
});

/** An interval keeps the most faces seen at once. */
class CrowdFold extends IntervalFold<number> {
  constructor(private readonly minPeople: number) {
    super();
  }

  protected detect({ observations }: FoldInput): SampledDetections<number, IntervalState<number>> {
    const { sampled, tracks } = FaceObservations.parse(observations['faces']);
    return {
      sampled,
      detectionsAt: (at, frame) => {
        const faces = tracks.flatMap(({ sightings }) => sightings.filter((sighting) => sighting.frame === frame));
        if (faces.length < this.minPeople) return [];
        const marks = faces.map(({ box }) => boxMark(at.frame, box));
        return [appearance('crowd', at, marks, faces.length)];
      },
    };
  }

  protected merge(earlier: number, later: number): number {
    return Math.max(earlier, later);
  }

  protected segmentOf(interval: Interval<number>, source: IntervalSource) {
    return segmentOfInterval(interval, source, {
      type: 'crowd',
      label: 'crowd',
      confidence: 1,
      meta: { label: 'crowd', most_people: interval.extra },
      detections: interval.marks.kept.map((mark) => boxDetection('face_bbox', mark)),
      portrait: NO_PORTRAIT,
    });
  }
}

export default defineModule({
  id: 'crowd',
  version: 1,
  args: CrowdArguments,
  media: ['image', 'video'],
  needs: () => [{ analysis: 'faces', args: { detectionScale: 600 } }],
  open: (args) => Promise.resolve(new CrowdFold(args.min_people)),
});
