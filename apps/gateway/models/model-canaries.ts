import { AditError, type Canary, type CanaryRequest } from '@adit/contracts';
import { AnalysisRegistry, MODEL_FAMILIES, ModelRepository } from '@adit/inference';
import { Canaries, ModelStore } from '@adit/model-store';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../http/caller.js';
import type { Exchange } from '../http/route.js';
import { sendObject } from '../http/send-object.js';
import { Models } from './models.js';
import type { ServedModel } from './served-models.js';

/** Versions that are tried beside the one that a name means, as clients begin and end that. */
@Injectable()
export class ModelCanaries {
  constructor(
    @Inject(Models) private readonly models: Models,
    @Inject(Canaries) private readonly canaries: Canaries,
    @Inject(ModelStore) private readonly store: ModelStore,
    @Inject(ModelRepository) private readonly repository: ModelRepository,
    @Inject(AnalysisRegistry) private readonly analyses: AnalysisRegistry,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {}

  /** Throws NOT_FOUND for the model, VALIDATION for a version that it has not, CONFLICT, FORBIDDEN. */
  async start({ caller, isDone, done }: Exchange, id: string, { version, share }: CanaryRequest): Promise<Canary> {
    const model = await this.models.storedOf(caller, id);
    if (isDone) return this.canaries.report(model.id, caller.workspaceId);
    const { name, defaultVersion, versions } = model;
    if (!this.isComparable(model)) {
      throw new AditError(
        'CONFLICT',
        `Versions of ${name} cannot be compared: those of models that look at pictures or read text for jobs can.`,
      );
    }
    const candidate = versions.find(({ number }) => number === version);
    const stable = versions.find(({ number }) => number === defaultVersion);
    if (candidate === undefined || stable === undefined) {
      const message = `${name} has no version ${version}; it has ${versions.map(({ number }) => number).join(', ')}.`;
      throw new AditError('VALIDATION', message, { errors: [{ pointer: '/version', code: 'unknown', message }] });
    }
    if (candidate === stable) {
      throw new AditError(
        'CONFLICT',
        `${name} means version ${version} already: promote the one that is to be used meanwhile.`,
      );
    }
    const pinOf = ({ number, digest }: ServedModel['versions'][number]) => ({ version: number, digest });
    await this.canaries.start(model.id, { stable: pinOf(stable), candidate: pinOf(candidate), share }, done);
    await this.repository.refresh();
    return this.canaries.report(model.id, caller.workspaceId);
  }

  /** Refuses like `Models.refuseOthers`. */
  refuseOthers(caller: Caller, id: string): Promise<void> {
    return this.models.refuseOthers(caller, id);
  }

  async report(caller: Caller, id: string): Promise<Canary> {
    const model = await this.models.storedOf(caller, id);
    return this.canaries.report(model.id, caller.workspaceId);
  }

  async promote({ caller, isDone, done }: Exchange, id: string): Promise<Canary> {
    const model = await this.models.storedOf(caller, id);
    if (!isDone) await this.store.promote(model.id, await this.canaries.candidate(model.id), done);
    await this.repository.refresh();
    return this.canaries.report(model.id, caller.workspaceId);
  }

  async drop({ caller, isDone, done }: Exchange, id: string): Promise<Canary> {
    const model = await this.models.storedOf(caller, id);
    if (!isDone) await this.canaries.drop(model.id, done);
    return this.canaries.report(model.id, caller.workspaceId);
  }

  async sendPicture(id: string, pictureId: string, { caller, request, reply }: Exchange): Promise<FastifyReply> {
    const model = await this.models.storedOf(caller, id);
    const key = await this.canaries.pictureKey(model.id, caller.workspaceId, pictureId.toLowerCase());
    const stored = await this.objects.stat(key);
    if (stored === null) throw new AditError('NOT_FOUND', `The picture ${pictureId} is gone.`);
    const file = { key, filename: `${pictureId}.jpg`, contentType: 'image/jpeg', size: stored.size, etag: pictureId };
    return sendObject(this.objects, { ...file, disposition: 'inline' as const }, request, reply);
  }

  private isComparable({ manifest }: ServedModel): boolean {
    const uses = MODEL_FAMILIES.find(manifest.family)?.uses ?? [];
    return uses.some(({ analysis }) => analysis !== null && this.analyses.get(analysis).compare !== undefined);
  }
}
