import { ImageEmbeddingObservations } from '@adit/analyses/image-embedding/observations';
import { AditError } from '@adit/contracts';
import { PlaceLook } from '@adit/datasets';
import { AnalysisRegistry, AnalysisRunner } from '@adit/inference';
import { ImageLooks, type ImageLook } from '@adit/inference-service';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const PLACES: ImageLook<PlaceLook> = {
  type: 'landmark',
  analysis: 'image-embedding',
  lookOf(observations, network) {
    const [photo] = ImageEmbeddingObservations.parse(observations).sampled;
    if (photo === undefined) throw new AditError('MEDIA_INVALID', 'It is no picture.');
    return { network, embedding: photo.embedding };
  },
  parse: (look) => PlaceLook.parse(look),
  evaluationOf: () => ({}),
};

/** Looks at the pictures of datasets of landmarks as a whole. */
@Injectable()
export class PlaceImageLooks extends ImageLooks<PlaceLook> {
  constructor(
    @Inject(DataSource) db: DataSource,
    @Inject(OBJECT_STORE) objects: ObjectStore,
    @Inject(AnalysisRegistry) analyses: AnalysisRegistry,
    @Inject(AnalysisRunner) runner: AnalysisRunner,
  ) {
    super(db, objects, analyses, runner, PLACES);
  }
}
