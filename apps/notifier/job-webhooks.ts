import { nullIfGone, ResourceEventName, zip, type Envelope, type Payload } from '@adit/contracts';
import { JobSourceEntity, SegmentEntity } from '@adit/database';
import { nameSegments } from '@adit/indexes';
import { nameOfSource, presentSegment, type ShownRow, timedSources } from '@adit/presentation';
import { EndedSegment, jobAsOf, listedJob, StartedSegment, WebhookNotice } from '@adit/jobs';
import { ModuleRegistry } from '@adit/module-kit';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import type { NewDelivery } from '@adit/webhooks';
import { Inject, Injectable } from '@nestjs/common';
import { Between, DataSource, In, type FindOperator } from 'typeorm';
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
  started: z.object({ moduleId: z.string(), segments: z.array(StartedSegment) }).optional(),
  ended: z.object({ moduleId: z.string(), segments: z.array(EndedSegment) }).optional(),
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
    const { webhook: notice, segments, started, ended } = Noticed.parse(event.data);
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
    if (started !== undefined || ended !== undefined) {
      const announced = started !== undefined ? await this.started(job, started) : await this.ended(job, ended);
      return announced.map(({ id, identity, segment }) => ({
        ...delivery,
        fact: `${envelope.id}/${id}`,
        // A segment ends after it has started.
        orderKey: `${jobId}/${id}`,
        data: { job: shown, segment: { id, ...segment } },
        identities: identity === null ? identities : [...identities, identity],
      }));
    }
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
    return this.presented(job, moduleId, await this.rows(job, moduleId, Between(from, to - 1)));
  }

  /** Returns segments of a live stream that start. */
  private async started(job: ShownRow, { moduleId, segments }: { moduleId: string; segments: StartedSegment[] }) {
    const rows = segments.map(({ id: _, ...segment }) => openRow(job.id, moduleId, segment));
    const shown = await this.presented(job, moduleId, rows);
    return [...zip(segments, shown)].map(([{ id }, { identity, result }]) => ({ id, identity, segment: result }));
  }

  /** Returns segments of a live stream that end; those that came to nothing as they started. */
  private async ended(job: ShownRow, ended: { moduleId: string; segments: EndedSegment[] } | undefined) {
    if (ended === undefined) return [];
    const { moduleId, segments } = ended;
    const seqs = segments.flatMap(({ seq }) => seq ?? []);
    const rows = seqs.length === 0 ? [] : await this.rows(job, moduleId, In(seqs));
    const bySeq = new Map((await this.presented(job, moduleId, rows)).map((each) => [each.number, each]));
    const dropped = segments.flatMap((each) => (each.seq === null ? [each] : []));
    const nothing = dropped.map(({ sourceIndex, frame, time }) =>
      openRow(job.id, moduleId, {
        ...{ sourceIndex, frameStart: frame, frameEnd: frame, timeStart: time, timeEnd: time },
        ...{ type: '', label: '', confidence: 0, meta: {}, thumbnail: null },
      }),
    );
    const shownNothing = await this.presented(job, moduleId, nothing);
    return [
      ...segments.flatMap(({ id, seq }) => {
        const shown = seq === null ? undefined : bySeq.get(seq);
        return shown === undefined ? [] : [{ id, identity: shown.identity, segment: shown.result }];
      }),
      ...[...zip(dropped, shownNothing)].map(([{ id }, { result }]) => ({
        ...{ id, identity: null, segment: { ...result, dropped: true } },
      })),
    ];
  }

  private async rows(job: ShownRow, moduleId: string, moduleSeq: FindOperator<number>): Promise<SegmentEntity[]> {
    const where = { jobId: job.id, moduleId, moduleSeq };
    const segments = await this.db.manager.find(SegmentEntity, { where, order: { moduleSeq: 'ASC' } });
    await nameSegments(this.db.manager, job.workspaceId, segments);
    return segments;
  }

  private async presented(job: ShownRow, moduleId: string, segments: SegmentEntity[]) {
    const { manager } = this.db;
    const jobId = job.id;
    const indexes = [...new Set(segments.map(({ sourceIndex }) => sourceIndex))];
    const sources = await manager.findBy(JobSourceEntity, { jobId, index: In(indexes) });
    const timed = await timedSources(manager, job, sources);
    const byIndex = new Map(timed.map((source) => [source.index, source]));
    const { resultName } = this.registry.get(moduleId);
    return Promise.all(
      segments.map(async (segment) => {
        const { uri = '', name = null, facts = null, zeroAt } = byIndex.get(segment.sourceIndex) ?? {};
        const around = {
          mediaType: job.mediaType,
          source: uri,
          sourceName: nameOfSource(uri, name),
          facts,
          zeroAt,
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

/** Makes a row, which is not stored, of a segment that is not final. */
function openRow(jobId: string, moduleId: string, segment: Omit<StartedSegment, 'id'>): SegmentEntity {
  const none = { seq: 0, moduleSeq: 0, detections: [], keyFrame: null, teaches: null };
  const nobody = { identityCollection: null, identityNumber: null, indexId: null };
  return Object.assign(new SegmentEntity(), segment, { jobId, moduleId, ...none, ...nobody });
}
