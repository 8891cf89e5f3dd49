import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeDirection } from '@adit/analyses/image-embedding/vector-code';
import { AditError, type DatasetType, type Json, type ResourceEventName, type TrainingReport } from '@adit/contracts';
import { inTransaction, TrainingEntity } from '@adit/database';
import {
  completeTraining,
  DEFAULT_LIMITS,
  failTraining,
  landmarkOfFields,
  seenFaces,
  SeenImages,
  trainedCounts,
  type FaceInference,
  type PlaceInference,
  type TrainedImage,
} from '@adit/datasets';
import { FileDigests, readVersion } from '@adit/inference';
import { renewLease, TASK_LEASE_SECONDS, TaskLoop, TRAININGS, type ClaimedTask } from '@adit/leases';
import { ModelStore } from '@adit/model-store';
import { presentEndedTraining } from '@adit/presentation';
import { raiseResourceEvents } from '@adit/webhooks';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AGGREGATOR_SETTINGS, type AggregatorSettings } from '../settings.js';
import { trainedImages, type TrainedImageRow } from './trained-images.js';
import { GRAPH_FILE, type PackedImages, type WrittenHead } from './training-orders.js';
import { TrainingProcess } from './training-process.js';

/** Share of a training that is reading its dataset. */
const READING = 0.3;

/**
 * Trains model versions from datasets, one after the other. The same dataset gives the same version, so none is made
 * twice.
 */
@Injectable()
export class Trainings extends TaskLoop {
  constructor(
    @Inject(DataSource) db: DataSource,
    @Inject(ModelStore) private readonly models: ModelStore,
    @Inject(AGGREGATOR_SETTINGS) private readonly settings: Pick<AggregatorSettings, 'trainingMemoryBytes'>,
  ) {
    super(db, TRAININGS);
  }

  protected async run(task: ClaimedTask): Promise<void> {
    const row = await this.db.manager.findOneByOrFail(TrainingEntity, task.key);
    let isReporting = false;
    const report = async (part: number): Promise<void> => {
      if (isReporting) return;
      isReporting = true;
      const also = { set: 'progress = $2', value: Math.min(0.99, part) };
      const isWaitedFor = await renewLease(this.db, task, TASK_LEASE_SECONDS, also).finally(
        () => (isReporting = false),
      );
      if (!isWaitedFor) throw stopped();
    };
    const folder = await mkdtemp(join(tmpdir(), 'adit-training-'));
    const own = new TrainingProcess(this.settings.trainingMemoryBytes, (part) => {
      report(READING + (1 - READING) * part).catch((error: unknown) => own.close(AditError.from(error)));
    });
    try {
      const written = await this.written(row, own, folder, (part) => report(READING * part));
      if (written === null)
        throw new AditError('MEDIA_INVALID', `No active image of the dataset ${NOTHING[row.type]}.`);
      await own.close();
      await this.publish(task, row, written, folder);
    } finally {
      await own.close();
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Has the process write a version's files into a folder; null when no image of the dataset can be used. */
  private async written(
    row: TrainingEntity,
    own: TrainingProcess,
    folder: string,
    onProgress: (part: number) => Promise<void>,
  ): Promise<WrittenHead | null> {
    await own.order({ begin: row.type });
    const network = await this.send(row, own, onProgress);
    const { modelName: name, modelDescription: description } = row;
    return network === null ? null : own.order({ write: { folder, name, description, network } });
  }

  /** Sends the dataset to the process, a page at a time; returns the network that analysed it, null where none has. */
  private async send(
    { datasetId, type, config, timeCreated }: TrainingEntity,
    own: TrainingProcess,
    onProgress: (part: number) => Promise<void>,
  ): Promise<FaceInference['network'] | null> {
    const { manager } = this.db;
    const { trainingMemoryBytes: memoryBytes } = this.settings;
    const seen = seenBy(type, config);
    let most: number | null = null;
    let read = 0;
    for await (const { opened, images } of trainedImages(manager, { datasetId, type, timeCreated })) {
      const packed = pack(images, seen.of);
      const count = packed.images.filter(({ fault }) => fault === null).length;
      if (most === null && count > 0) {
        // The dataset may have grown since the training was posted.
        const dimensions = packed.vectors.length / count;
        most = (await trainedCounts(manager, { datasetId, dimensions, memoryBytes })).images;
      }
      const classes = opened.map(({ id, label, customFields }) =>
        type === 'face' ? { id, label } : { id, label, landmark: landmarkOfFields(label, customFields) },
      );
      if (classes.length > 0) await own.order({ open: classes });
      await own.order({ images: packed });
      read += images.length;
      await onProgress(Math.min(1, read / (most ?? Infinity)));
    }
    return seen.network();
  }

  private async publish(task: ClaimedTask, row: TrainingEntity, written: WrittenHead, folder: string): Promise<void> {
    const { workspaceId, datasetId } = row;
    const { manifest, report } = written;
    const version = await readVersion(folder, manifest, 1);
    const graph = { name: GRAPH_FILE, ...(await new FileDigests().of(join(folder, GRAPH_FILE))) };
    await this.models.publish({
      ...{ workspaceId, manifest, digest: version.pin.digest, folder, sourceDatasetId: datasetId },
      files: [...version.files, graph],
      changelog: changelogOf(row, report),
      // The compiler does not see that a report is JSON.
      metrics: report as unknown as Record<string, Json>,
      // A training that was stopped or taken over while its files were stored gets no version from this attempt.
      beside: async (manager, { modelId, version: number }) => {
        const isOurs = await completeTraining(manager, task, { modelId, version: number, report });
        if (!isOurs) throw stopped();
        await this.notify(manager, task, 'svc.training.on_completed');
      },
    });
  }

  protected override async gaveUp(task: ClaimedTask, message: string): Promise<void> {
    await inTransaction(this.db, async (manager) => {
      if (await failTraining(manager, task, message)) await this.notify(manager, task, 'svc.training.on_failed');
    });
  }

  private async notify(manager: EntityManager, { key }: ClaimedTask, event: ResourceEventName): Promise<void> {
    const row = await manager.findOneByOrFail(TrainingEntity, key);
    await raiseResourceEvents(manager, row, [{ event, data: { training: presentEndedTraining(row) } }]);
  }
}

function stopped(): AditError {
  return new AditError('CONFLICT', 'The training was stopped.');
}

const NOTHING: Readonly<Record<DatasetType, string>> = {
  face: 'shows a face that can be used',
  landmark: 'can be used',
};

type Seen = (inference: TrainedImageRow['inference']) => TrainedImage['seen'];

/** Input of a training: how its images are analysed, and the network whose labels it uses. */
function seenBy(
  type: DatasetType,
  config: TrainingEntity['config'],
): { of: Seen; network: () => FaceInference['network'] | null } {
  if (type === 'face') {
    const { min_face_size: minFaceSize = DEFAULT_LIMITS.minFaceSize } = config;
    const { sharpness_threshold: sharpness = DEFAULT_LIMITS.sharpness } = config;
    const faces = seenFaces({ minFaceSize, sharpness });
    return {
      of: (inference) => faces.of(inference !== null && 'faces' in inference ? inference : null),
      network: () => faces.network,
    };
  }
  const places = new SeenImages<{ network: PlaceInference['network']; vector: Float32Array }>(
    (inference) => inference?.vector ?? 'unreadable',
  );
  return { of: (inference) => places.of(placeOf(inference)), network: () => places.network };
}

function placeOf(
  inference: TrainedImageRow['inference'],
): { network: PlaceInference['network']; vector: Float32Array } | null {
  if (inference === null || !('embedding' in inference)) return null;
  const vector = decodeDirection(inference.embedding);
  // A vector of zeros means that the network recognises nothing.
  return vector.some((value) => value !== 0) ? { network: inference.network, vector } : null;
}

/** Vectors of images of one network, which have one length. */
function pack(rows: readonly TrainedImageRow[], seenIn: Seen): PackedImages {
  const found: Float32Array[] = [];
  const images = rows.map(({ inference, ...image }) => {
    const seen = seenIn(inference);
    if (typeof seen === 'string') return { ...image, fault: seen };
    found.push(seen);
    return { ...image, fault: null };
  });
  const dimensions = found[0]?.length ?? 0;
  const vectors = new Float32Array(found.length * dimensions);
  for (const [at, vector] of found.entries()) vectors.set(vector, at * dimensions);
  return { images, vectors };
}

/** Manifest with the client's texts and the metrics. */
function changelogOf({ type, modelChangelog }: TrainingEntity, report: TrainingReport): string {
  const { number_of_classes: classes, number_of_images: images, number_left_out: leftOut } = report;
  const { held_out: heldOut, named_right: right, named_wrong: wrong, threshold, unseen, unseen_named: named } = report;
  const known = type === 'face' ? 'people' : 'landmarks';
  const figures =
    `${classes} ${known} from ${images} images, ${leftOut} left out; of ${heldOut} held out ${right} were named, ` +
    `${wrong} wrongly, at a distance of ${threshold}; of ${unseen} of ${known} never seen ${named} were named.`;
  return modelChangelog === '' ? figures : `${modelChangelog}\n\n${figures}`;
}
