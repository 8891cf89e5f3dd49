import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeDirection } from '@adit/analyses/image-embedding/vector-code';
import { AditError, elementAt, type DatasetType, type Json, type Landmark, type TrainingReport } from '@adit/contracts';
import { TrainingEntity } from '@adit/database';
import {
  DEFAULT_LIMITS,
  fitFaceHead,
  fitPlaceHead,
  landmarkOfFields,
  type Head,
  type PlaceImage,
} from '@adit/datasets';
import { embeddingHeadGraph, readVersion } from '@adit/inference';
import { renewLease, TASK_LEASE_SECONDS, TaskLoop, TRAININGS, updateHeld, type ClaimedTask } from '@adit/leases';
import { ModelStore } from '@adit/model-store';
import { FACE_GALLERY, LANDMARK_MODEL, writeGalleryFiles, type GalleryKind } from '@adit/modules';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { trainedClasses, type TrainedRow } from './trained-classes.js';

const GRAPH_FILE = 'model.onnx';

/** Makes versions of models from datasets, one after the other. The same dataset gives the same version, so none comes twice. */
@Injectable()
export class Trainings extends TaskLoop {
  constructor(
    @Inject(DataSource) db: DataSource,
    @Inject(ModelStore) private readonly models: ModelStore,
  ) {
    super(db, TRAININGS);
  }

  protected async run(task: ClaimedTask): Promise<void> {
    const row = await this.db.manager.findOneByOrFail(TrainingEntity, task.key);
    const onProgress = async (progress: number): Promise<void> => {
      const also = { set: 'progress = $2', value: Math.min(0.99, progress) };
      if (!(await renewLease(this.db, task, TASK_LEASE_SECONDS, also))) throw stopped();
    };
    const classes = await trainedClasses(this.db.manager, row);
    const fitted =
      row.type === 'face' ? await fittedFaces(row, classes, onProgress) : await fittedPlaces(classes, onProgress);
    if (fitted === null) throw new AditError('MEDIA_INVALID', `No active image of the dataset ${NOTHING[row.type]}.`);
    const folder = await mkdtemp(join(tmpdir(), 'adit-training-'));
    try {
      await this.publish(task, row, fitted, folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  private async publish(task: ClaimedTask, row: TrainingEntity, fitted: Fitted, folder: string): Promise<void> {
    const { workspaceId, modelName, datasetId, modelDescription: description } = row;
    const { head, kind, landmarks } = fitted;
    const { report } = head;
    const dimensions = elementAt(elementAt(head.classes, 0).centres, 0).length;
    const known = head.classes.map(({ id, label, centres }) => {
      const landmark = landmarks.get(id);
      return { id, label, embeddings: centres, ...(landmark === undefined ? {} : { landmark }) };
    });
    const manifest = await writeGalleryFiles(folder, modelName, known, {
      ...{ kind, embedding: head.network, dimensions, description, origin: 'a training of a dataset' },
      maxDistance: report.threshold,
    });
    const version = await readVersion(folder, manifest, 1);
    const threshold = 1 - report.threshold ** 2 / 2;
    await writeFile(join(folder, GRAPH_FILE), embeddingHeadGraph({ dimensions, classes: head.classes, threshold }));
    await this.models.publish({
      ...{ workspaceId, manifest, digest: version.pin.digest, folder, sourceDatasetId: datasetId },
      files: [...version.files, await fileOf(folder, GRAPH_FILE)],
      changelog: changelogOf(row, report),
      // The compiler does not see that a report is JSON.
      metrics: report as unknown as Record<string, Json>,
      // Whoever stopped it, or took it over, while the files were stored gets no version of this attempt.
      beside: async (manager, { modelId, version: number }) => {
        const isOurs = await updateHeld(
          manager,
          task,
          `state = 'completed', progress = 1, lease_until = NULL, error_msg = NULL, time_completed = now(),
           model_id = $1, model_version = $2, report = $3`,
          [modelId, number, JSON.stringify(report)],
        );
        if (!isOurs) throw stopped();
      },
    });
  }

  protected override async gaveUp(task: ClaimedTask, message: string): Promise<void> {
    await updateHeld(this.db, task, `state = 'failed', lease_until = NULL, error_msg = $1, time_completed = now()`, [
      message,
    ]);
  }
}

function stopped(): AditError {
  return new AditError('CONFLICT', 'The training was stopped.');
}

/** A head, the kind of model that it becomes, and what is known of its classes besides. */
interface Fitted {
  head: Head;
  kind: GalleryKind;
  landmarks: ReadonlyMap<string, Landmark>;
}
type OnProgress = (part: number) => Promise<void>;

const NOTHING: Readonly<Record<DatasetType, string>> = {
  face: 'shows a face that can be used',
  landmark: 'can be used',
};

async function fittedFaces(
  { config }: TrainingEntity,
  rows: readonly TrainedRow[],
  onProgress: OnProgress,
): Promise<Fitted | null> {
  const classes = rows.map(({ id, label, images }) => ({
    ...{ id, label },
    images: images.map(({ look, ...image }) => ({ ...image, look: look !== null && 'faces' in look ? look : null })),
  }));
  const { min_face_size: minFaceSize = DEFAULT_LIMITS.minFaceSize } = config;
  const { sharpness_threshold: sharpness = DEFAULT_LIMITS.sharpness } = config;
  const head = await fitFaceHead(classes, { minFaceSize, sharpness }, onProgress);
  return head === null ? null : { head, kind: FACE_GALLERY, landmarks: new Map() };
}

async function fittedPlaces(rows: readonly TrainedRow[], onProgress: OnProgress): Promise<Fitted | null> {
  const landmarks = new Map(rows.map(({ id, label, customFields }) => [id, landmarkOfFields(label, customFields)]));
  const classes = rows.map(({ id, label, images }) => ({ id, label, images: images.map(placeImage) }));
  const head = await fitPlaceHead(classes, onProgress);
  return head === null ? null : { head, kind: LANDMARK_MODEL, landmarks };
}

function placeImage({ id, digest, look: seen }: TrainedRow['images'][number]): PlaceImage {
  const look = seen !== null && 'embedding' in seen ? seen : null;
  const vector = look === null ? null : decodeDirection(look.embedding);
  // All zeros: it shows nothing that the network knows of.
  const isUsable = vector?.some((value) => value !== 0) === true;
  return { id, digest, look: look !== null && isUsable ? { network: look.network, vector } : null };
}

async function fileOf(folder: string, name: string): Promise<{ name: string; size: number; sha256: string }> {
  const bytes = await readFile(join(folder, name));
  return { name, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** The client's words, and the figures. */
function changelogOf({ type, modelChangelog }: TrainingEntity, report: TrainingReport): string {
  const { number_of_classes: classes, number_of_images: images, number_left_out: leftOut } = report;
  const { held_out: heldOut, named_right: right, named_wrong: wrong, threshold, unseen, unseen_named: named } = report;
  const known = type === 'face' ? 'people' : 'landmarks';
  const figures =
    `${classes} ${known} from ${images} images, ${leftOut} left out; of ${heldOut} held out ${right} were named, ` +
    `${wrong} wrongly, at a distance of ${threshold}; of ${unseen} of ${known} never seen ${named} were named.`;
  return modelChangelog === '' ? figures : `${modelChangelog}\n\n${figures}`;
}
