import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AditError, elementAt, type Json } from '@adit/contracts';
import { inTransaction, TrainingEntity } from '@adit/database';
import { fitFaceHead, FaceLook, type FaceHead, type LookedImage, type TrainedClass } from '@adit/datasets';
import { embeddingHeadGraph, readVersion } from '@adit/inference';
import {
  isWanted,
  renewLease,
  TASK_LEASE_SECONDS,
  TaskLoop,
  TRAININGS,
  updateHeld,
  type ClaimedTask,
} from '@adit/leases';
import { ModelStore } from '@adit/model-store';
import { FACE_GALLERY, writeGalleryFiles } from '@adit/modules';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Classes whose images are read together. */
const PAGE = 500;
const GRAPH_FILE = 'model.onnx';

interface ClassRow {
  id: string;
  label: string;
  seq: string;
  images: { id: string; digest: string | null; look: unknown }[];
}

/** Makes versions of models from datasets, one after the other. The same dataset gives the same version, so none comes twice. */
@Injectable()
export class Trainings implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly loop: TaskLoop;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ModelStore) private readonly models: ModelStore,
  ) {
    this.loop = new TaskLoop(db, TRAININGS, {
      run: (task) => this.run(task),
      gaveUp: (task, message) => this.gaveUp(task, message),
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** Resolves when all trainings that can be done now are. */
  idle(): Promise<void> {
    return this.loop.idle();
  }

  private async run(task: ClaimedTask): Promise<void> {
    const row = await this.db.manager.findOneByOrFail(TrainingEntity, task.key);
    const goOn = async (progress: number): Promise<void> => {
      const also = { set: 'progress = $2', value: Math.min(0.99, progress) };
      if (await renewLease(this.db, task, TASK_LEASE_SECONDS, also)) return;
      throw new AditError('CONFLICT', 'The training was stopped.');
    };
    const classes = await this.classes(row);
    const { min_face_size: minFaceSize, sharpness_threshold: sharpness } = row.config;
    const head = await fitFaceHead(classes, { minFaceSize, sharpness }, goOn);
    if (head === null)
      throw new AditError('MEDIA_INVALID', 'No active image of the dataset shows a face that can be used.');
    const folder = await mkdtemp(join(tmpdir(), 'adit-training-'));
    try {
      await this.publish(task, row, head, folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  private async publish(task: ClaimedTask, row: TrainingEntity, head: FaceHead, folder: string): Promise<void> {
    const { workspaceId, modelName, datasetId } = row;
    const { report } = head;
    const dimensions = elementAt(elementAt(head.classes, 0).centres, 0).length;
    const people = head.classes.map(({ id, label, centres }) => ({ id, label, embeddings: centres }));
    const manifest = await writeGalleryFiles(folder, modelName, people, {
      ...{ kind: FACE_GALLERY, embedding: head.network, dimensions, description: row.modelDescription },
      origin: 'a training of a dataset',
    });
    const version = await readVersion(folder, manifest, 1);
    const threshold = 1 - report.threshold ** 2 / 2;
    await writeFile(join(folder, GRAPH_FILE), embeddingHeadGraph({ dimensions, classes: head.classes, threshold }));
    // Whoever stopped it meanwhile gets no version.
    if (!(await inTransaction(this.db, (manager) => isWanted(manager, task)))) return;
    const made = await this.models.publish({
      ...{ workspaceId, manifest, digest: version.pin.digest, folder, sourceDatasetId: datasetId },
      files: [...version.files, await fileOf(folder, GRAPH_FILE)],
      changelog: changelogOf(row, head),
      metrics: report as unknown as Record<string, Json>,
    });
    await updateHeld(
      this.db,
      task,
      `state = 'completed', progress = 1, lease_until = NULL, error_msg = NULL, time_completed = now(),
       model_id = $1, model_version = $2, report = $3`,
      [made.modelId, made.version, JSON.stringify(report)],
    );
  }

  private async gaveUp(task: ClaimedTask, message: string): Promise<void> {
    await updateHeld(this.db, task, `state = 'failed', lease_until = NULL, error_msg = $1, time_completed = now()`, [
      message,
    ]);
  }

  /** What is active and has not expired, as it was when the training was posted. */
  private async classes({ datasetId, timeCreated }: TrainingEntity): Promise<TrainedClass[]> {
    const classes: TrainedClass[] = [];
    for (let after = '0'; ;) {
      const rows: ClassRow[] = await this.db.query(
        `SELECT c.id, c.label, c.seq, coalesce(list.images, '[]') AS images
           FROM dataset_classes c JOIN datasets d ON d.id = c.dataset_id AND d.time_deleted IS NULL
           LEFT JOIN LATERAL (
             SELECT json_agg(json_build_object('id', i.id, 'digest', i.digest, 'look', l.look) ORDER BY i.seq) AS images
               FROM dataset_images i
               LEFT JOIN LATERAL (
                 SELECT look FROM dataset_looks WHERE workspace_id = i.workspace_id AND digest = i.digest
                  ORDER BY time_created DESC LIMIT 1) l ON i.state = 'completed'
              WHERE i.class_id = c.id AND i.active AND i.time_created <= $2) list ON true
          WHERE c.dataset_id = $1 AND c.time_deleted IS NULL AND c.active AND c.seq > $3
            AND (c.expiration_date IS NULL OR c.expiration_date > now())
          ORDER BY c.seq LIMIT $4`,
        [datasetId, timeCreated, after, PAGE],
      );
      classes.push(...rows.map(({ id, label, images }) => ({ id, label, images: images.map(lookedImage) })));
      if (rows.length < PAGE) return classes;
      after = elementAt(rows, -1).seq;
    }
  }
}

function lookedImage({ id, digest, look }: ClassRow['images'][number]): LookedImage {
  const parsed = FaceLook.safeParse(look);
  return { id, digest, look: parsed.success ? parsed.data : null };
}

async function fileOf(folder: string, name: string): Promise<{ name: string; size: number; sha256: string }> {
  const bytes = await readFile(join(folder, name));
  return { name, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** The client's words, and the figures. */
function changelogOf({ modelChangelog }: TrainingEntity, { report }: FaceHead): string {
  const figures =
    `${report.number_of_classes} people from ${report.number_of_images} images, ${report.number_left_out} left out; ` +
    `of ${report.held_out} held out ${report.named_right} were named, ${report.named_wrong} wrongly, ` +
    `at a distance of ${report.threshold}.`;
  return modelChangelog === '' ? figures : `${modelChangelog}\n\n${figures}`;
}
