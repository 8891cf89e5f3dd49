import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AditError, modelId, NewModel, type ModelManifest, storable } from '@adit/contracts';
import { inTransaction, type Beside } from '@adit/database';
import { checkModelName, labelLines, ModelRepository } from '@adit/inference';
import { manifestFor, unpackModel, type Proposal } from '@adit/model-inspection';
import { ModelStore, type StoredModel } from '@adit/model-store';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { openStorageKey } from '@adit/storage';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource, type EntityManager } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import type { Caller } from '../http/caller.js';
import { detailsOf } from '../http/validation.js';
import { checkModel } from './checked-model.js';
import { SyncedRows } from './synced-rows.js';
import { modelFolder, removeLeftFolders } from './model-folders.js';
import { readModelParts, tooLarge, wrong, type ModelParts } from './model-parts.js';
import { refuseMoreModels } from './model-quota.js';
import { whyNotForAll } from './model-routes.js';
import { ServedModels } from './served-models.js';

/** Models that one gateway checks at the same time: each may take gigabytes. */
const MAX_CONCURRENCY = 2;
const MAX_ENTRIES = 256;

/** Takes models from clients: whatever way they come, they pass the same checks, in a process of their own, and are stored. */
@Injectable()
export class NewModels implements OnApplicationBootstrap {
  private taking = 0;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(ModelStore) private readonly store: ModelStore,
    @Inject(ModelRepository) private readonly repository: ModelRepository,
    @Inject(SyncedRows) private readonly synced: SyncedRows,
    @Inject(ServedModels) private readonly served: ServedModels,
    @Inject(GATEWAY_CONFIG)
    private readonly config: Pick<GatewayConfig, 'syncedModels' | 'maxModelBytes' | 'maxModels'>,
  ) {}

  onApplicationBootstrap(): Promise<void> {
    return removeLeftFolders();
  }

  /**
   * The file of a form. Throws VALIDATION with a pointer to what is wrong or has to be said, CONFLICT for a name that others
   * have, FORBIDDEN, TOO_LARGE, RATE_LIMITED.
   */
  async fromForm(caller: Caller, request: FastifyRequest): Promise<StoredModel> {
    return this.inFolder(async (folder) => {
      const { fields, ...given } = await readModelParts(request, { folder, maxBytes: this.config.maxModelBytes });
      const parsed = NewModel.check(storable).safeParse(fields);
      if (parsed.success) return this.take(caller, parsed.data, { folder, ...given });
      const errors = parsed.error.issues.flatMap((issue) => detailsOf({ ...issue, path: ['body', ...issue.path] }));
      throw new AditError('VALIDATION', errors.map(({ message }) => message).join(' '), { errors });
    });
  }

  /** The id of a model that was added, as this process knows it by now. Throws as `fromForm`. */
  async idOf(caller: Caller, given: NewModel): Promise<string> {
    await this.repository.refresh();
    return modelId(given.name, this.ownerOf(caller, given));
  }

  /** A file that the workspace has uploaded. Throws as `fromForm`, and SOURCE_REFUSED when there is none. */
  async fromStorage(caller: Caller, given: NewModel, uri: string, before: Beside): Promise<StoredModel> {
    return this.inFolder(async (folder) => {
      const key = /^storage:\/\/([\w-]+)$/.exec(uri)?.[1];
      if (key === undefined) {
        throw wrong('/file_uri', 'invalid', 'file_uri names an uploaded file: storage://…');
      }
      const { stream, size } = await openStorageKey(this.db.manager, this.objects, caller.workspaceId, key);
      if (size > this.config.maxModelBytes) {
        stream.destroy();
        throw tooLarge(this.config.maxModelBytes);
      }
      const path = join(folder, 'given');
      await pipeline(stream satisfies Readable, createWriteStream(path));
      return this.take(caller, given, { folder, file: { name: 'model.onnx', path }, beside: [] }, before);
    });
  }

  private async take(
    caller: Caller,
    given: NewModel,
    { folder, file, beside }: Omit<ModelParts, 'fields'> & { folder: string },
    before?: Beside,
  ): Promise<StoredModel> {
    const workspaceId = this.ownerOf(caller, given);
    if (this.config.syncedModels !== undefined && workspaceId === null && (await this.synced.owns(given.name))) {
      throw new AditError(
        'CONFLICT',
        `The versions of ${given.name} are those in ${this.config.syncedModels}: put it there under the next number.`,
      );
    }
    const refuseFull = async (manager: EntityManager): Promise<void> => {
      const quota = { name: given.name, most: this.config.maxModels };
      if (workspaceId !== null) await refuseMoreModels(manager, workspaceId, quota);
    };
    await inTransaction(this.db, refuseFull);
    const unpacked = join(folder, 'unpacked');
    await mkdir(unpacked);
    const limits = { maxBytes: this.config.maxModelBytes, maxEntries: MAX_ENTRIES };
    let graph = await unpackModel(file.path, unpacked, limits);
    if (graph !== null && beside.length > 0) {
      throw wrong('/data', 'invalid', 'An archive holds all that belongs to the model: send it alone.');
    }
    if (graph === null) {
      graph = join(unpacked, 'model.onnx');
      await rename(file.path, graph);
      for (const { name, path } of beside) await rename(path, join(unpacked, name));
    }
    const checked = await checkModel(graph, {
      root: unpacked,
      folder: join(folder, 'version'),
      manifestOf: (proposal, manifest) => this.manifestOf(caller, given, proposal, manifest),
    }).catch((error: unknown) => {
      throw asParts(error);
    });
    const changelog = given.changelog ?? '';
    const stored = await this.store.publish({
      ...{ ...checked, workspaceId, changelog },
      before: async (manager) => {
        await before?.(manager);
        await refuseFull(manager);
      },
    });
    await this.repository.refresh();
    return stored;
  }

  /** Whose it is to be: a workspace's own, or everybody's where the key may say so. */
  private ownerOf(caller: Caller, { name, scope }: NewModel): string | null {
    checkModelName(name, 'model');
    const { workspaceId } = caller;
    const owner = scope === 'installation' ? null : workspaceId;
    // The fields of a form are known here and not before.
    const why = whyNotForAll(caller, scope);
    if (why !== null) throw new AditError('FORBIDDEN', why);
    const known = this.served.all(workspaceId).find((model) => model.name === name);
    if (known !== undefined && !(known.isStored && known.workspaceId === owner)) {
      const where = known.isPublic
        ? 'comes with Adit'
        : known.isStored
          ? 'is another scope’s'
          : 'lies in the model folder';
      throw new AditError('CONFLICT', `There is a model ${name} already, which ${where}: choose another name.`);
    }
    if (known !== undefined && known.manifest.kind !== 'network') {
      throw new AditError(
        'CONFLICT',
        `There is a model ${name} already, which was trained of photos: choose another name.`,
      );
    }
    return owner;
  }

  private manifestOf(
    { workspaceId }: Caller,
    {
      labels,
      shorter_side: shorterSide,
      logit_scale: logitScale,
      logit_bias: logitBias,
      max_distance: maxDistance,
      text_length: textLength,
      start_token: startToken,
      end_token: endToken,
      ...given
    }: NewModel,
    proposal: Proposal,
    beside: ModelManifest | null,
  ): ModelManifest {
    const before = this.served.all(workspaceId).find(({ name }) => name === given.name)?.manifest ?? beside;
    const lines = labels === undefined ? undefined : labelLines(labels);
    try {
      return manifestFor(
        { ...given, shorterSide, logitScale, logitBias, maxDistance, textLength, startToken, endToken, labels: lines },
        proposal,
        before,
      );
    } catch (error) {
      throw asFields(AditError.from(error));
    }
  }

  private async inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
    if (this.taking >= MAX_CONCURRENCY) {
      const message = `At most ${MAX_CONCURRENCY} models are checked at the same time; try again in a while.`;
      throw new AditError('RATE_LIMITED', message, { retryAfterSeconds: 5 });
    }
    this.taking += 1;
    const folder = await modelFolder();
    try {
      return await work(folder);
    } finally {
      this.taking -= 1;
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** Weights that are missing beside the graph are sent with it. */
function asParts(error: unknown): unknown {
  if (!(error instanceof AditError) || error.options.errors?.[0]?.pointer !== '/data') return error;
  return wrong('/data', 'missing', `${error.message.replace(/\.$/, '')}: in the field data, or in an archive with it.`);
}

/** Translates the names of command-line options into those of API fields: `--shorter-side` is `shorter_side`. */
function asFields(error: AditError): AditError {
  const named = (text: string): string =>
    text.replace(/--([a-z]+(?:-[a-z]+)*)/g, (_, flag: string) => flag.replaceAll('-', '_'));
  const errors = error.options.errors?.map((each) => ({
    ...each,
    pointer: each.pointer.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    message: named(each.message),
  }));
  return new AditError(error.code, named(error.message), { ...error.options, ...(errors && { errors }) });
}
