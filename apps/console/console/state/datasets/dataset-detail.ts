import type { Dataset, DatasetClass, DatasetImport, DatasetImportError } from '@adit/client';
import { Observable } from '../../../shared/observable.js';
import { exportedFile } from '../exported-file.js';
import type { Session } from '../session.js';

const PAGE = 100;
/** Evaluation and imports are in no event: what runs is read again so often. */
const POLL_MS = 2_000;
const MAX_ERRORS = 20;

/** A dataset and its classes, as far as they were read. */
export class DatasetDetail extends Observable {
  dataset: Dataset | null = null;
  classes: DatasetClass[] = [];
  /** Classes that match. */
  total = 0;
  hasMore = false;
  loading = false;
  fault: unknown = null;
  imports: DatasetImport[] = [];
  private search = '';
  private cursor: string | null = '';
  /** Number of the newest list: what comes of older ones is dropped. */
  private opened = 0;

  constructor(
    readonly session: Session,
    readonly datasetId: string,
  ) {
    super();
  }

  /** Reads everything, and what changes by itself until the signal. */
  async follow(signal: AbortSignal): Promise<void> {
    await Promise.all([this.read(), this.open('')]);
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      if (isOver() || document.hidden || this.dataset === null) continue;
      const { evaluation_state: part, number_of_images: images } = this.dataset;
      const isBusy = (images > 0 && part < 1) || this.imports.some(({ time_completed: end }) => end === null);
      if (isBusy) await this.read();
    }
  }

  async read(): Promise<void> {
    const params = { datasetId: this.datasetId };
    const { client } = this.session;
    try {
      const before = this.dataset?.number_of_classes;
      const [dataset, imports] = await Promise.all([
        client.request('GET /v1/datasets/{datasetId}/', { params }),
        client.request('GET /v1/datasets/{datasetId}/imports/', { params, query: { limit: 5 } }),
      ]);
      Object.assign(this, { dataset, imports: imports.data, fault: null });
      if (before !== undefined && before !== dataset.number_of_classes) void this.open(this.search);
    } catch (error) {
      this.session.notice(error);
      this.fault = error;
    }
    this.changed();
  }

  /** Lists classes whose label or reference has this in it. */
  async open(search: string): Promise<void> {
    this.opened += 1;
    Object.assign(this, { search, cursor: '', loading: false });
    await this.more();
  }

  async more(): Promise<void> {
    const { cursor, opened, search } = this;
    if (this.loading || cursor === null) return;
    this.loading = true;
    this.changed();
    try {
      const page = await this.session.client.request('GET /v1/datasets/{datasetId}/classes', {
        params: { datasetId: this.datasetId },
        query: { limit: PAGE, cursor, ...(search !== '' && { search }) },
      });
      if (opened !== this.opened) return;
      this.cursor = page.next === null ? null : new URL(page.next).searchParams.get('cursor');
      const before = cursor === '' ? [] : this.classes;
      Object.assign(this, { classes: [...before, ...page.data], total: page.total, hasMore: this.cursor !== null });
    } catch (error) {
      this.session.notice(error);
      if (opened === this.opened) this.fault = error;
    }
    if (opened === this.opened) this.loading = false;
    this.changed();
  }

  async describe(change: { name: string; description: string }): Promise<void> {
    const params = { datasetId: this.datasetId };
    this.dataset = await this.session.client.request('PATCH /v1/datasets/{datasetId}/', { params, body: change });
    this.changed();
  }

  async remove(): Promise<void> {
    await this.session.client.request('DELETE /v1/datasets/{datasetId}/', { params: { datasetId: this.datasetId } });
  }

  addClass(label: string): Promise<DatasetClass> {
    return this.session.client.request('POST /v1/datasets/{datasetId}/classes/', {
      ...{ params: { datasetId: this.datasetId }, body: { label } },
    });
  }

  /** Uploads an archive or a table, and imports what is in it. `tell` is told the part that was sent, 0 to 1. */
  async importFile(file: File, tell: (part: number) => void): Promise<void> {
    const { client } = this.session;
    const entry = await client.storage.uploadResumably(file, {
      ...{ folder: '/imports', name: `${Date.now()}-${file.name}` },
      onProgress: (sent, total) => tell(total === 0 ? 1 : sent / total),
    });
    await client.request('POST /v1/datasets/{datasetId}/imports/', {
      ...{ params: { datasetId: this.datasetId }, body: { file_uri: entry.url ?? '' } },
    });
    await this.read();
  }

  async stopImport(importId: string): Promise<void> {
    const params = { datasetId: this.datasetId, importId };
    await this.session.client.request('DELETE /v1/datasets/{datasetId}/imports/{importId}/', { params });
    await this.read();
  }

  /** The first files that could not be imported. */
  async importErrors(importId: string): Promise<DatasetImportError[]> {
    const page = await this.session.client.request('GET /v1/datasets/{datasetId}/imports/{importId}/errors/', {
      params: { datasetId: this.datasetId, importId },
      query: { limit: MAX_ERRORS },
    });
    return page.data;
  }

  /** Writes the dataset as an archive; answers it when it is there. Throws what the service says where it failed. */
  async exported(strategy: 'basic_dataset_export' | 'coco_export', signal: AbortSignal): Promise<Blob> {
    const body = { strategy, config: { dataset_id: this.datasetId } };
    const { reply } = await exportedFile(this.session, body, signal);
    // The browser may keep a large one on disk.
    return new Blob([await reply.blob()], { type: 'application/zip' });
  }
}
