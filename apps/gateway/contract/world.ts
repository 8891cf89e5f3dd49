import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { modelId, type Job } from '@adit/contracts';
import {
  ArtifactEntity,
  columns,
  JobEntity,
  JobModuleEntity,
  SegmentEntity,
  StorageEntryEntity,
  SummaryEntity,
} from '@adit/database';
import { artifactKey } from '@adit/jobs';
import { exportPrefix } from '@adit/artifacts';
import { NeighbourSearches, UnknownFaces } from '@adit/indexes';
import { keyOfFile, storageThumbnailKey } from '@adit/storage';
import { ModelRepository } from '@adit/inference';
import { detectorGraph } from '@adit/inference/spec-graph';
import { writeGalleryVersion } from '@adit/modules';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { sampleMedia } from '@adit/testing';
import { startGateway, type Answer, type TestGateway } from '../testing/gateway.js';
import { multipart } from './multipart.js';

const NOTICED_MS = 45_000;
const ROWS_PER_INSERT = 1_000;
const photo = sampleMedia().groups['sample1'] as string;

export const WEBHOOK = {
  event: 'svc.export.on_completed',
  url: 'https://newsroom.example.org/adit',
  hmac_secret: 'a secret of the specs',
};

export const STORAGE_CREDENTIALS = {
  bucket: 'newsroom',
  endpoint: 'https://s3.example.org',
  access_key: 'AKIDEXAMPLE',
  secret_key: 'a secret key of the specs',
};

/** A running gateway and the things that requests are about; each call makes a new one. */
export class World {
  private newsroom: string | null = null;
  private uploadedGraph: string | null = null;
  private lastIdentity = '';

  private constructor(
    readonly gateway: TestGateway,
    readonly base: string,
  ) {}

  static async start(settings: Parameters<typeof startGateway>[0] = {}): Promise<World> {
    const encryptionKey = 'a key of the specs, long enough to be one';
    const gateway = await startGateway({
      ...{ encryptionKey, ...settings },
      localRoots: [dirname(photo), ...(settings.localRoots ?? [])],
    });
    await gateway.app.listen(0, '127.0.0.1');
    return new World(gateway, await gateway.app.getUrl());
  }

  /** Asks over the wire, as the admin unless `headers` say otherwise; what is no buffer is sent as JSON. */
  async ask(method: string, url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const isJson = body !== undefined && method !== 'GET' && !Buffer.isBuffer(body);
    const reply = await fetch(`${this.base}${url}`, {
      method,
      headers: {
        authorization: `Key ${this.gateway.key}`,
        ...(isJson ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined || method === 'GET'
        ? {}
        : { body: isJson ? JSON.stringify(body) : (body as Buffer<ArrayBuffer>) }),
    });
    const text = await reply.text();
    return { status: reply.status, headers: Object.fromEntries(reply.headers), text, json: () => JSON.parse(text) };
  }

  readonly order = { sources: [photo], modules: { face_recognition: {} } };

  async job(): Promise<string> {
    return (await this.made<Job>('/api/v1/jobs/', this.order)).id;
  }

  /** A job of a film, as far as its row says. */
  async filmJob(): Promise<string> {
    const id = await this.job();
    await this.gateway.db.manager.update(JobEntity, { id }, { mediaType: 'video' });
    return id;
  }

  /** A job with a segment, a sum and an artifact, as the aggregator leaves it. */
  async minedJob(): Promise<{ jobId: string; artifactId: string }> {
    const jobId = await this.job();
    const { manager } = this.gateway.db;
    await manager.insert(
      SegmentEntity,
      columns<SegmentEntity>({
        jobId,
        seq: 0,
        moduleId: 'face_recognition',
        moduleSeq: 0,
        sourceIndex: 0,
        frameStart: 0,
        frameEnd: 0,
        timeStart: 0,
        timeEnd: 0,
        type: 'face',
        label: 'Ada',
        confidence: 0.9,
        meta: { person: 'Ada', similarity: 0.9 },
        detections: [{ frame_index: 0, type: 'face_bbox', data: { x: 0.1, y: 0.1, w: 0.2, h: 0.2 } }],
        thumbnail: null,
        keyFrame: null,
        identityCollection: null,
        identityNumber: null,
      }),
    );
    await manager.update(JobEntity, { id: jobId }, { segmentCount: 1 });
    await manager.update(JobModuleEntity, { jobId }, { segmentCount: 1 });
    const moduleId = 'advanced_diversity_analysis';
    await manager.insert(
      SummaryEntity,
      columns<SummaryEntity>({
        jobId,
        seq: 0,
        id: randomUUID(),
        moduleId,
        sourceIndex: 0,
        type: 'gender_count',
        meta: { female: 1 },
      }),
    );
    const bytes = Buffer.from('{"summary":[]}');
    const artifactId = randomUUID();
    const objectKey = artifactKey(jobId, 'results.json');
    await this.gateway.app.get<ObjectStore>(OBJECT_STORE).put(objectKey, bytes);
    const timeExpiration = new Date(Date.now() + 3_600_000);
    const file = { filename: 'results.json', mimeType: 'application/json', objectKey, size: String(bytes.length) };
    await manager.insert(ArtifactEntity, { id: artifactId, jobId, ...file, timeExpiration });
    return { jobId, artifactId };
  }

  /** A completed job that heard these paragraphs, one second each, as the aggregator leaves it. */
  async transcribedJob(texts: string[] = ['Good evening.', 'Welcome back.']): Promise<string> {
    const jobId = await this.job();
    const { manager } = this.gateway.db;
    const moduleId = 'speech_recognition';
    await manager.update(JobModuleEntity, { jobId }, { moduleId, postedAs: moduleId, state: 'completed' });
    await manager.update(JobEntity, { id: jobId }, { state: 'completed', timeCompleted: new Date() });
    const segments = texts.map((text, seq) =>
      columns<SegmentEntity>({
        jobId,
        seq,
        moduleId,
        moduleSeq: seq,
        sourceIndex: 0,
        frameStart: null,
        frameEnd: null,
        timeStart: seq,
        timeEnd: seq + 1,
        type: 'speech',
        label: text,
        confidence: 0.9,
        meta: { text, language: 'en', speaker: null, confidence: 0.9 },
        detections: [],
        thumbnail: null,
        keyFrame: null,
        identityCollection: null,
        identityNumber: null,
      }),
    );
    for (let at = 0; at < segments.length; at += ROWS_PER_INSERT) {
      await manager.insert(SegmentEntity, segments.slice(at, at + ROWS_PER_INSERT));
    }
    return jobId;
  }

  /** The ids of a transcript and its variant. */
  async transcript(texts?: string[]): Promise<[transcriptId: string, variantId: string]> {
    const order = { job_id: await this.transcribedJob(texts) };
    const { id } = await this.made<{ id: string }>('/api/v1/transcripts/', order);
    const variants = await this.ask('GET', `/api/v1/transcripts/${id}/variants/`);
    const [variant] = variants.json<{ data: { id: string }[] }>().data;
    return [id, variant!.id];
  }

  /** A gallery that somebody put into the repository; the same one each time. */
  async model(): Promise<string> {
    this.newsroom ??= await this.gallery('newsroom');
    return this.newsroom;
  }

  /** A new one. */
  ownModel(): Promise<string> {
    return this.gallery(`gallery-${randomUUID()}`);
  }

  /** The fields that add a small network: an uploaded graph, and the values that it does not contain. */
  async graph(): Promise<Record<'file_uri' | 'labels' | 'colour' | 'mean' | 'std' | 'resize', string>> {
    this.uploadedGraph ??= (
      await this.uploaded<{ url: string }>(
        '/api/v1/storage/?folder=/contract',
        'model.onnx',
        'application/octet-stream',
        detectorGraph(),
      )
    ).url;
    return {
      file_uri: this.uploadedGraph,
      labels: Array.from({ length: 80 }, (_, at) => `thing ${at}`).join('\n'),
      ...{ colour: 'bgr', mean: '103.53,116.28,123.675', std: '57.375,57.12,58.395', resize: 'letterbox' },
    };
  }

  /** An index collection with nobody in it. */
  async collection(): Promise<string> {
    const body = { name: `Archive ${randomUUID()}` };
    return (await this.made<{ name: string }>('/api/v1/index-collection/', body)).name;
  }

  /** A collection, and somebody in it. */
  async identity(): Promise<[collection: string, indexId: string]> {
    const name = await this.collection();
    const { db } = this.gateway;
    const { workspaceId } = this.gateway;
    const indexId = await db.transaction(async (manager) => {
      const unknownFaces = new UnknownFaces(manager, workspaceId, new NeighbourSearches());
      const found = await unknownFaces.identify({
        ...{ collection: name, embedding: [1, 0, 0, 0], maxDistance: 1, picture: null },
        network: { name: 'face-embedding', digest: 'e'.repeat(64) },
      });
      await unknownFaces.flush();
      return found as string;
    });
    this.lastIdentity = indexId;
    return [name, indexId];
  }

  /** Returns the id of the collection that was made last. */
  async indexId(): Promise<string> {
    return this.lastIdentity;
  }

  async dictionary(): Promise<string> {
    return (await this.uploaded<{ id: string }>('/api/v1/dictionaries/', 'names.txt', 'text/plain', 'Ada\n')).id;
  }

  async dataset(): Promise<string> {
    return (await this.made<{ id: string }>('/api/v1/datasets/', { name: 'Newsroom', type: 'face' })).id;
  }

  /** Ids of a dataset and a class of it. */
  async datasetClass(): Promise<string[]> {
    const datasetId = await this.dataset();
    const body = { label: 'Ada', reference: 'person-17' };
    return [datasetId, (await this.made<{ id: string }>(`/api/v1/datasets/${datasetId}/classes/`, body)).id];
  }

  /** Ids of a dataset, a class of it, and an image of that. */
  async datasetImage(): Promise<string[]> {
    const [datasetId = '', classId = ''] = await this.datasetClass();
    const url = `/api/v1/datasets/${datasetId}/classes/${classId}/images/`;
    return [datasetId, classId, (await this.made<{ id: string }>(url, { file_uri: await this.picture() })).id];
  }

  async training(): Promise<string> {
    const body = { source_dataset_id: await this.dataset(), output_model_name: 'people' };
    return (await this.made<{ id: string }>('/api/v1/trainings/', body)).id;
  }

  /** Address of an uploaded picture. */
  async picture(): Promise<string> {
    const url = '/api/v1/storage/?folder=/contract';
    const file = { filename: `${randomUUID()}.jpg`, contentType: 'image/jpeg', bytes: await readFile(photo) };
    const { payload, headers } = multipart({ file });
    return succeeded(url, await this.ask('POST', url, payload, headers)).json<{ url: string }>().url;
  }

  async file(version = 'v1'): Promise<string> {
    const name = `${randomUUID()}.txt`;
    const entry = await this.uploaded<{ id: number }>(
      `/api/${version}/storage/?folder=/contract`,
      name,
      'text/plain',
      'hello',
    );
    return String(entry.id);
  }

  /** A file whose thumbnail a decoder has made. */
  async shownFile(): Promise<string> {
    const id = Number(await this.file());
    const { manager } = this.gateway.db;
    const entry = await manager.findOneByOrFail(StorageEntryEntity, { id });
    const thumbnail = storageThumbnailKey(entry.workspaceId, keyOfFile(entry));
    const bytes = Buffer.from('a picture');
    await this.gateway.app.get<ObjectStore>(OBJECT_STORE).put(thumbnail, bytes);
    await manager.update(StorageEntryEntity, { id }, { contentType: 'image/jpeg', thumbnail: 'made' });
    return String(id);
  }

  async accessKey(): Promise<string> {
    return (
      await this.made<{ key: string }>('/api/v1/access-keys/', { name: 'editor', type: 'jwt', scopes: ['export.read'] })
    ).key;
  }

  async storageCredentials(): Promise<string> {
    const body = { ...STORAGE_CREDENTIALS, bucket: `bucket-${randomUUID().slice(0, 8)}` };
    return (await this.made<{ id: string }>('/api/v1/storage-credentials/', body)).id;
  }

  async webhook(): Promise<string> {
    return (await this.made<{ id: string }>('/api/v1/webhooks/', WEBHOOK)).id;
  }

  async savedSearch(): Promise<string> {
    return (await this.made<{ id: string }>('/api/v1/searches/', { name: 'Cars', what: 'car' })).id;
  }

  async batch(): Promise<string> {
    return (await this.made<{ id: string }>('/api/v1/batches/', { name: 'Election night' })).id;
  }

  async report(): Promise<string> {
    return (await this.made<{ id: string }>(`/api/v1/batches/${await this.batch()}/report/`, {})).id;
  }

  /** Exports a job's results, unless `order` asks for something else. */
  async export(order?: { strategy: string; config: object }): Promise<string> {
    const asked = order ?? { strategy: 'job_results_export', config: { job_id: await this.job() } };
    return (await this.made<{ id: string }>('/api/v1/exports/', asked)).id;
  }

  /** An export with its file, as the aggregator leaves it. */
  async exported(order?: { strategy: string; config: object }): Promise<{ exportId: string; artifactId: string }> {
    const exportId = await this.export(order);
    return { exportId, artifactId: await this.exportFile(exportId) };
  }

  /** The file of an export; answers its id. */
  async exportFile(exportId: string): Promise<string> {
    const artifactId = randomUUID();
    const bytes = Buffer.from('{"summary":[]}');
    const objectKey = `${exportPrefix(exportId)}${artifactId}`;
    await this.gateway.app.get<ObjectStore>(OBJECT_STORE).put(objectKey, bytes);
    const timeExpiration = new Date(Date.now() + 3_600_000);
    const file = { filename: 'results.json', mimeType: 'application/json', objectKey, size: String(bytes.length) };
    await this.gateway.db.manager.insert(ArtifactEntity, { id: artifactId, exportId, ...file, timeExpiration });
    return artifactId;
  }

  async close(): Promise<void> {
    await this.gateway.close();
  }

  /** Returns when the repository has noticed it. */
  private async gallery(name: string): Promise<string> {
    const { pin } = this.gateway.app.get(ModelRepository).resolve('face-embedding');
    const embedding = { name: pin.name, digest: pin.digest };
    const people = [{ label: 'Ada', embeddings: [[1, 0, 0, 0]] }];
    await writeGalleryVersion(join(this.gateway.dataDir, 'models'), name, people, { embedding, dimensions: 4 });
    const id = modelId(name);
    for (const end = Date.now() + NOTICED_MS; (await this.ask('GET', `/api/v1/models/${id}/`)).status !== 200;) {
      if (Date.now() > end) throw new Error(`The model ${name} was not noticed.`);
      await sleep(50);
    }
    return id;
  }

  private async made<T>(url: string, body: unknown): Promise<T> {
    return succeeded(url, await this.ask('POST', url, body)).json<T>();
  }

  private async uploaded<T>(url: string, filename: string, contentType: string, content: string | Buffer): Promise<T> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const { payload, headers } = multipart({ file: { filename, contentType, bytes } });
    return succeeded(url, await this.ask('POST', url, payload, headers)).json<T>();
  }
}

function succeeded(url: string, answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`POST ${url} answered ${answer.status}: ${answer.text}`);
  return answer;
}
