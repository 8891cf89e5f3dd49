import { StandardArguments } from '@adit/contracts';
import {
  appearance,
  defineModule,
  IntervalFold,
  NO_PORTRAIT,
  segmentOfInterval,
  type FoldInput,
  type Interval,
  type IntervalSource,
  type ModuleDefinition,
  type SampledDetections,
  type Segment,
} from '@adit/module-kit';

/** Observations of a second: the labels seen in each of its sampled frames. */
export interface Sightings {
  sampled: { frame: number; time: number; labels: string[] }[];
}

/** Module that reports when a label is visible, for at least so many samples. */
export function sightingsModule({ id = 'sightings', version = 1, minSamples = 1 } = {}): ModuleDefinition {
  return defineModule({
    id,
    version,
    args: StandardArguments,
    media: ['image', 'video'],
    needs: () => [{ analysis: 'faces', args: {} }],
    open: () => Promise.resolve(new SightingsFold(minSamples)),
  }) as unknown as ModuleDefinition;
}

class SightingsFold extends IntervalFold<{ samples: number }> {
  constructor(private readonly minSamples: number) {
    super();
  }

  protected detect({ observations }: FoldInput): SampledDetections<{ samples: number }, never> {
    const { sampled } = observations['faces'] as Sightings;
    const labels = new Map(sampled.map((sample) => [sample.frame, sample.labels]));
    return {
      sampled,
      detectionsAt: (at, frame) => (labels.get(frame) ?? []).map((key) => appearance(key, at, [], { samples: 1 })),
    };
  }

  protected merge(earlier: { samples: number }, later: { samples: number }): { samples: number } {
    return { samples: earlier.samples + later.samples };
  }

  protected segmentOf(interval: Interval<{ samples: number }>, source: IntervalSource): Segment | null {
    const { samples } = interval.extra;
    if (samples < this.minSamples) return null;
    const shown = { type: 'sighting', label: interval.key, confidence: 1, meta: { samples } };
    return segmentOfInterval(interval, source, { ...shown, portrait: NO_PORTRAIT });
  }
}
