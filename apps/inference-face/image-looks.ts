import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FaceObservations } from '@adit/analyses';
import { AditError, type FaceAttributes } from '@adit/contracts';
import { columns, DatasetImageEntity, DatasetLookEntity, inTransaction } from '@adit/database';
import { FaceLook } from '@adit/datasets';
import { analysisDigest, AnalysisRegistry, AnalysisRunner, lookAtFile } from '@adit/inference';
import { DATASET_IMAGES, isWanted, TaskLoop, updateHeld, type ClaimedTask } from '@adit/leases';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { openStorageKey } from '@adit/storage';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Of a picture of a dataset. */
const MOST_BYTES = 256 << 20;
const NETWORK = 'face-embedding';

/**
 * Looks at the images of datasets, one after the other, as a job looks at pictures. Pictures of the same bytes are looked at
 * once; one that kills its process is given up after three attempts, like any work.
 */
@Injectable()
export class ImageLooks implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly loop: TaskLoop;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(AnalysisRegistry) private readonly analyses: AnalysisRegistry,
    @Inject(AnalysisRunner) private readonly runner: AnalysisRunner,
  ) {
    this.loop = new TaskLoop(db, DATASET_IMAGES, { run: (task) => this.look(task) });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** Resolves when all that waits now was looked at. */
  idle(): Promise<void> {
    return this.loop.idle();
  }

  private async look(task: ClaimedTask): Promise<void> {
    const { workspaceId, storageKey } = await this.db.manager.findOneByOrFail(DatasetImageEntity, task.key);
    const analysis = this.analyses.get('faces');
    const identity = this.runner.identify(analysis, {});
    const digestOfLook = analysisDigest(identity);
    const network = identity.models.find(({ name }) => name === NETWORK);
    if (network === undefined) throw new AditError('MODEL_NOT_INSTALLED', `${NETWORK} is not installed.`);
    const { digest, seen } = await this.withFile(workspaceId, storageKey, async (path, bytesDigest) => {
      const key = { workspaceId, digest: bytesDigest, analysisDigest: digestOfLook };
      const known = await this.db.manager.findOneBy(DatasetLookEntity, key);
      if (known !== null) return { digest: bytesDigest, seen: FaceLook.parse(known.look) };
      for await (const { facts, observations } of lookAtFile({ runner: this.runner, analysis, path })) {
        if (facts.kind !== 'image') break;
        return { digest: bytesDigest, seen: lookOf(FaceObservations.parse(observations), network) };
      }
      throw new AditError('MEDIA_INVALID', 'It is no picture.');
    });
    await inTransaction(this.db, async (manager) => {
      if (!(await isWanted(manager, task))) return;
      const look = columns<DatasetLookEntity>({ workspaceId, digest, analysisDigest: digestOfLook, look: seen });
      await manager.createQueryBuilder().insert().into(DatasetLookEntity).values(look).orIgnore().execute();
      const result = { face_attributes: attributesOf(seen) };
      await updateHeld(
        manager,
        task,
        `state = 'completed', lease_until = NULL, error_msg = NULL, digest = $1, evaluation_result = $2`,
        [digest, JSON.stringify(result)],
      );
    });
  }

  /** The bytes lie in a folder of their own, which goes again. */
  private async withFile<T>(
    workspaceId: string,
    key: string,
    use: (path: string, digest: string) => Promise<T>,
  ): Promise<T> {
    const directory = await mkdtemp(join(tmpdir(), 'adit-dataset-'));
    try {
      const { stream, size } = await openStorageKey(this.db.manager, this.objects, workspaceId, key);
      if (size > MOST_BYTES) throw new AditError('MEDIA_INVALID', `It has more than ${MOST_BYTES} bytes.`);
      const path = join(directory, 'picture');
      return await use(path, await stored(stream, path));
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }
}

async function stored(stream: Readable, path: string): Promise<string> {
  const hash = createHash('sha256');
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(stream, through, createWriteStream(path));
  return hash.digest('hex');
}

function lookOf({ tracks }: FaceObservations, { name, digest }: { name: string; digest: string }): FaceLook {
  const faces = tracks.map(({ sightings, views, female }) => {
    const [view] = views;
    return {
      size: Math.max(...sightings.map(({ size }) => size)),
      sharpness: view?.sharpness ?? null,
      yaw: view?.yaw ?? null,
      pitch: view?.pitch ?? null,
      roll: view?.roll ?? null,
      female,
      embedding: view?.embedding ?? null,
    };
  });
  return { network: { name, digest }, faces: faces.sort((a, b) => b.size - a.size) };
}

/** Of the largest face: the pose is what the analysis of faces tells; nothing that is installed tells the rest. */
function attributesOf({ faces: [face] }: FaceLook): FaceAttributes | null {
  if (face === undefined) return null;
  const { roll, yaw, pitch } = face;
  const untold = { emotion: null, smile: null, eyeglasses: null, sunglasses: null, eyesopen: null, mouthopen: null };
  return { ...untold, beard: null, mustache: null, roll, yaw, pitch };
}
