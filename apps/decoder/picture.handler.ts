import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BusContext } from '@adit/bus';
import { AditError, ONLINE_INFERENCE_LIMITS, onlineInferenceTopic, type Payload } from '@adit/contracts';
import { databaseNow, InferenceRequestEntity } from '@adit/database';
import { fetchSource, parseSource } from '@adit/media';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { failInferenceRequest } from '@adit/online-inference';
import { enqueue, OutboxRelay } from '@adit/outbox';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DECODER_CONFIG, WORK_DIRECTORY, type DecoderConfig } from './config.js';

const log = createLogger('decoder');

/**
 * Subscriber of pictures.requested: fetches the picture of an online inference request from the web, and passes the
 * request on.
 */
@Injectable()
export class PictureHandler {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(DECODER_CONFIG) private readonly config: DecoderConfig,
    @Inject(WORK_DIRECTORY) private readonly workDirectory: string,
  ) {}

  async fetch({ lookId: id }: Payload<'pictures.requested'>, context: Pick<BusContext, 'signal'>): Promise<void> {
    const asked = await this.db.manager.findOneBy(InferenceRequestEntity, { id });
    if (asked === null) return;
    const left =
      asked.timeCreated.getTime() + ONLINE_INFERENCE_LIMITS.seconds * 1000 - Number(await databaseNow(this.db));
    if (left <= 0) return;
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(left)]);
    try {
      await this.store(asked, signal);
    } catch (error) {
      const { code, message } = signal.aborted ? tooLate() : AditError.from(error);
      if (code === 'INTERNAL') log.error({ lookId: id, err: error }, 'a picture could not be fetched');
      await failInferenceRequest(this.db.manager, id, { code, message });
      return;
    }
    const topic = onlineInferenceTopic(asked.question.analyses[0]?.name ?? '');
    await this.outbox.transaction((manager) =>
      enqueue(manager, [{ topic, key: id, jobId: id, payload: { lookId: id } }]),
    );
  }

  private async store({ id, source, objectKey }: InferenceRequestEntity, signal: AbortSignal): Promise<void> {
    if (source === null || objectKey === null)
      throw new AditError('INTERNAL', 'The inference request has no stored picture.');
    // The gateway only accepts addresses on the web.
    const policy = { ...this.config, localRoots: [] };
    const { kind } = parseSource(source, policy);
    if (kind === 'platform' || kind === 'live') {
      const what = kind === 'live' ? 'A stream' : 'A page of a video platform';
      throw new AditError('SOURCE_REFUSED', `${what} is no picture: post a job to have films mined.`);
    }
    const directory = join(this.workDirectory, `look-${id}`);
    try {
      const file = await fetchSource(source, {
        ...policy,
        directory,
        maxBytes: ONLINE_INFERENCE_LIMITS.bytes,
        timeoutSeconds: ONLINE_INFERENCE_LIMITS.seconds,
        idleTimeoutSeconds: ONLINE_INFERENCE_LIMITS.seconds,
        signal,
        openStorage: () => Promise.reject(new AditError('INTERNAL', 'An uploaded picture was to be fetched.')),
      });
      await this.objects.put(objectKey, createReadStream(file.path), { durable: false });
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }
}

function tooLate(): AditError {
  return new AditError('UNAVAILABLE', 'Fetching the picture took too long. Try again.');
}
