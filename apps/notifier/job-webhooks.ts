import { nullIfGone, ResourceEventName, type Envelope, type Payload } from '@adit/contracts';
import { JobSourceEntity, SegmentEntity } from '@adit/database';
import { nameSegments } from '@adit/indexes';
import { nameOfSource, presentSegment, type ShownRow } from '@adit/presentation';
import { jobAsOf, listedJob, WebhookNotice } from '@adit/jobs';
import { ModuleRegistry } from '@adit/module-kit';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import type { NewDelivery } from '@adit/webhooks';
import { Inject, Injectable } from '@nestjs/common';
import { Between, DataSource, In } from 'typeorm';
import { z } from 'zod';
import { NOTIFIER_CONFIG, type NotifierConfig } from './config.js';
import { subscribers } from './subscribers.js';
import { WorkspaceSecrets } from './workspace-secrets.js';

const log = createLogger('notifier');

/** Webhook fields of an event; events without subscribers lack them. */
const Noticed = z.object({
  webhook: WebhookNotice,
  /** Segments by reference, for on_detailed_result: [from, to) of the module's own numbers. */
  segments: z.object({ moduleId: z.string(), from: z.int(), to: z.int() }).optional(),
});

/** Makes deliveries of a job's event to the callback of its own `webhook`, or to webhooks of its workspace. */
@Injectable()
export class JobWebhooks {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(ModuleRegistry) private readonly registry: ModuleRegistry,
    @Inject(NOTIFIER_CONFIG) private readonly config: NotifierConfig,
  ) {}

  /** Returns the deliveries; empty for a deleted job, and without a query when nobody subscribes to the event. */
  async deliveriesOf(event: Payload<'events.raised'>, envelope: Envelope): Promise<NewDelivery[]> {
    if (!('webhook' in event.data)) return [];
    const { webhook: notice, segments } = Noticed.parse(event.data);
    const { manager } = this.db;
    const { jobId } = envelope;
    const listed = await listedJob(manager, jobId);
    if (listed === null) {
      log.debug({ jobId, event: event.event }, 'the job was deleted before its event could be delivered');
      return [];
    }
    const { job, identities } = listed;
    const occurred = new Date(envelope.occurredAt);
    const shown = jobAsOf(job, notice, occurred, this.config.publicUrl ?? '');
    // Deletions of the job, and erasures of people in it, find the delivery by the job's id.
    const common = {
      jobId,
      event: event.event,
      timestamp: occurred.getTime() / 1000,
      traceparent: envelope.traceparent,
    };
    const asked = ResourceEventName.safeParse(event.event);
    if (asked.success) {
      const webhooks = await subscribers(manager, job.workspaceId, asked.data);
      return webhooks.map((webhook) => ({
        ...webhook,
        ...common,
        fact: envelope.id,
        data: { job: shown },
        identities,
      }));
    }
    const url = job.webhook?.callback;
    if (url === undefined) return [];
    const delivery = {
      ...common,
      subscription: `job:${jobId}`,
      kind: WorkspaceSecrets.kind,
      signer: job.workspaceId,
      url,
    };
    if (segments === undefined) {
      return [{ ...delivery, fact: envelope.id, orderKey: jobId, data: { job: shown }, identities }];
    }
    const results = await this.detailedResults(job, segments);
    // Segments are many and carry their position: they need not wait for each other.
    return results.map(({ number, result, identity }) => ({
      ...delivery,
      fact: `${envelope.id}/${number}`,
      orderKey: null,
      data: { job: shown, detailed_result: result },
      identities: identity === null ? identities : [...identities, identity],
    }));
  }

  private async detailedResults(job: ShownRow, { moduleId, from, to }: { moduleId: string; from: number; to: number }) {
    const { manager } = this.db;
    const jobId = job.id;
    const segments = await manager.find(SegmentEntity, {
      where: { jobId, moduleId, moduleSeq: Between(from, to - 1) },
      order: { moduleSeq: 'ASC' },
    });
    await nameSegments(manager, job.workspaceId, segments);
    const indexes = [...new Set(segments.map(({ sourceIndex }) => sourceIndex))];
    const sources = await manager.findBy(JobSourceEntity, { jobId, index: In(indexes) });
    const byIndex = new Map(sources.map((source) => [source.index, source]));
    const { resultName } = this.registry.get(moduleId);
    return Promise.all(
      segments.map(async (segment) => {
        const { uri = '', name = null, facts = null } = byIndex.get(segment.sourceIndex) ?? {};
        const around = {
          mediaType: job.mediaType,
          source: uri,
          sourceName: nameOfSource(uri, name),
          facts,
          resultName,
        };
        // The picture of an erased person is removed after the identity.
        const shown = segment.indexId !== null && !isNamed(segment) ? null : segment.thumbnail;
        const thumbnail = shown === null ? null : await this.picture(shown.key);
        return {
          number: segment.moduleSeq,
          identity: isNamed(segment) ? segment.indexId : null,
          result: presentSegment(segment, { ...around, thumbnail }),
        };
      }),
    );
  }

  /** Reads a JPEG as Base64; null when it is gone. */
  private async picture(key: string): Promise<string | null> {
    return (await this.objects.read(key).catch(nullIfGone))?.toString('base64') ?? null;
  }
}

/** True when the segment shows an existing identity. */
function isNamed({ indexId, meta }: SegmentEntity): boolean {
  return indexId !== null && meta['indexed_identity'] != null;
}
