import { AditError, type DatasetType, type ImageEvaluation, type Json } from '@adit/contracts';
import { DatasetImageEntity, ImageAnalysisEntity, inTransaction } from '@adit/database';
import { keepImageAnalysis, INFERENCE_NETWORKS, type FaceInference, type PlaceInference } from '@adit/datasets';
import { analysisDigest, AnalysisRegistry, AnalysisRunner, inferFile } from '@adit/inference';
import { DATASET_IMAGES, isWanted, TaskLoop, type ClaimedTask } from '@adit/leases';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { openStorageKey } from '@adit/storage';
import { Module, type DynamicModule } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { withPictureFile } from './picture-file.js';

/** Largest picture of a dataset, in bytes. */
const MAX_BYTES = 256 << 20;

/** Inference over the pictures of datasets of one type. */
export interface ImageInference<Inference extends FaceInference | PlaceInference> {
  type: DatasetType;
  analysis: string;
  /** Arguments of the analysis beside its defaults. */
  args?: Json;
  /** Extracts the stored part of the observations. `network` is that of `INFERENCE_NETWORKS`. */
  extract(observations: unknown, network: Inference['network']): Inference;
  /** Parses a stored result of this or another build. */
  parse(stored: unknown): Inference;
  /** Returns the evaluation of the picture for clients. */
  evaluationOf(inference: Inference): ImageEvaluation;
}

/**
 * Analyses the images of datasets of one type, one after the other, as a job does. Equal bytes are analysed once; an
 * image that kills its process is given up after three attempts, like any work.
 */
export class ImageInferenceLoop<Inference extends FaceInference | PlaceInference> extends TaskLoop {
  constructor(
    db: DataSource,
    private readonly objects: ObjectStore,
    private readonly analyses: AnalysisRegistry,
    private readonly runner: AnalysisRunner,
    private readonly kind: ImageInference<Inference>,
  ) {
    super(db, DATASET_IMAGES[kind.type]);
  }

  /** Services of the other types look into the same table, and find other images. */
  protected override get watchedAs(): string {
    return `${super.watchedAs}.${this.kind.type}`;
  }

  protected async run(task: ClaimedTask): Promise<void> {
    const { workspaceId, storageKey } = await this.db.manager.findOneByOrFail(DatasetImageEntity, task.key);
    const analysis = this.analyses.get(this.kind.analysis);
    const args = this.kind.args ?? {};
    const identity = this.runner.identify(analysis, args);
    const digestOfAnalysis = analysisDigest(identity);
    const wanted = INFERENCE_NETWORKS[this.kind.type];
    const network = identity.models.find(({ name }) => name === wanted);
    if (network === undefined) throw new AditError('MODEL_NOT_INSTALLED', `${wanted} is not installed.`);
    const open = () => openStorageKey(this.db.manager, this.objects, workspaceId, storageKey);
    const { digest, seen } = await withPictureFile(open, MAX_BYTES, async (path, bytesDigest) => {
      const key = { workspaceId, digest: bytesDigest, analysisDigest: digestOfAnalysis };
      const known = await this.db.manager.findOneBy(ImageAnalysisEntity, key);
      if (known !== null) return { digest: bytesDigest, seen: this.kind.parse(known.look) };
      for await (const { facts, observations } of inferFile({ runner: this.runner, analysis, path, args })) {
        if (facts.kind !== 'image') break;
        return { digest: bytesDigest, seen: this.kind.extract(observations, { name: wanted, digest: network.digest }) };
      }
      throw new AditError('MEDIA_INVALID', 'It is no picture.');
    });
    await inTransaction(this.db, async (manager) => {
      if (!(await isWanted(manager, task))) return;
      const evaluation = this.kind.evaluationOf(seen);
      await keepImageAnalysis(manager, task, {
        workspaceId,
        digest,
        analysisDigest: digestOfAnalysis,
        look: seen,
        evaluation,
      });
    });
  }
}

/** Inference over images of datasets of either type. */
export type AnyImageInference = ImageInference<FaceInference | PlaceInference>;

@Module({})
class ImageInferenceModule {}

/** A Nest module of its own with the loop over images of datasets of one type. */
export function imageInferenceModule(kind: AnyImageInference): DynamicModule {
  const loop = {
    provide: ImageInferenceLoop,
    inject: [DataSource, OBJECT_STORE, AnalysisRegistry, AnalysisRunner],
    useFactory: (db: DataSource, objects: ObjectStore, analyses: AnalysisRegistry, runner: AnalysisRunner) =>
      new ImageInferenceLoop(db, objects, analyses, runner, kind),
  };
  return { module: ImageInferenceModule, providers: [loop] };
}
