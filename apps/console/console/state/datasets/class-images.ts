import { randomId, type DatasetClass, type DatasetImage } from '@adit/client';
import { Observable } from '../../../shared/observable.js';
import type { ImageShow } from '../../model/datasets.js';
import { forEach, type Outcome } from './many.js';
import type { Session } from '../session.js';

const PAGE = 500;
/** The evaluation is in no event: the class is read again so often. */
const POLL_MS = 3_000;

/** What is under way with many images. */
export interface Work {
  over: number;
  of: number;
}

/** A class of a dataset and its images, as far as they were scrolled to. */
export class ClassImages extends Observable {
  of: DatasetClass | null = null;
  images: DatasetImage[] = [];
  /** Images that match. */
  total = 0;
  isWhole = false;
  loading = false;
  fault: unknown = null;
  work: Work | null = null;
  private show: ImageShow = 'all';
  private cursor: string | null = '';
  /** Number of the newest list: what comes of older ones is dropped. */
  private opened = 0;

  constructor(
    readonly session: Session,
    readonly place: { datasetId: string; classId: string },
  ) {
    super();
  }

  /** Reads the class, and again what its evaluation changes, until the signal. */
  async follow(signal: AbortSignal): Promise<void> {
    await this.readClass();
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      if (isOver() || document.hidden || this.work !== null) continue;
      const before = this.of;
      await this.readClass();
      const isOther = stampOf(before) !== stampOf(this.of);
      if (isOther && !this.loading) await this.renew();
    }
  }

  async open(show: ImageShow): Promise<void> {
    this.opened += 1;
    Object.assign(this, { show, images: [], total: 0, isWhole: false, fault: null, cursor: '', loading: false });
    await this.more();
  }

  /** Reads the next page, unless one is on its way or there is none. */
  async more(): Promise<void> {
    const { cursor, opened } = this;
    if (this.loading || cursor === null) return;
    Object.assign(this, { loading: true, fault: null });
    this.changed();
    try {
      const page = await this.page(cursor, PAGE);
      if (opened !== this.opened) return;
      const known = new Set(this.images.map(({ id }) => id));
      this.cursor = page.next;
      this.images = [...this.images, ...page.data.filter(({ id }) => !known.has(id))];
      Object.assign(this, { total: page.total, isWhole: page.next === null });
    } catch (error) {
      this.session.notice(error);
      if (opened === this.opened) this.fault = error;
    }
    if (opened === this.opened) this.loading = false;
    this.changed();
  }

  async rename(label: string): Promise<void> {
    await this.change({ label });
  }

  async setActive(active: boolean): Promise<void> {
    await this.change({ active });
  }

  async removeClass(): Promise<void> {
    await this.session.client.request('DELETE /v1/datasets/{datasetId}/classes/{classId}/', { params: this.place });
  }

  /** Images to other classes of the dataset; `classId` says where they are now. */
  async move(ids: readonly string[], { from, to }: { from: string; to: string }): Promise<Outcome> {
    return this.many(ids, async (imageId) => {
      await this.session.client.request('PATCH /v1/datasets/{datasetId}/classes/{classId}/images/{imageId}/', {
        params: { ...this.place, classId: from, imageId },
        body: { class_id: to },
      });
    });
  }

  /** Whether trainings take them. */
  async activate(ids: readonly string[], active: boolean): Promise<Outcome> {
    return this.many(ids, async (imageId) => {
      await this.session.client.request('PATCH /v1/datasets/{datasetId}/classes/{classId}/images/{imageId}/', {
        params: { ...this.place, imageId },
        body: { active },
      });
    });
  }

  async remove(ids: readonly string[]): Promise<Outcome> {
    return this.many(ids, async (imageId) => {
      await this.session.client.request('DELETE /v1/datasets/{datasetId}/classes/{classId}/images/{imageId}/', {
        params: { ...this.place, imageId },
      });
    });
  }

  async add(files: readonly File[]): Promise<Outcome> {
    return this.many(files, async (file) => {
      await this.session.client.request('POST /v1/datasets/{datasetId}/classes/{classId}/images/', {
        params: this.place,
        form: { file },
        // A connection that breaks off does not make two of it.
        idempotencyKey: randomId(),
      });
    });
  }

  private async many<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<Outcome> {
    this.work = { over: 0, of: items.length };
    this.changed();
    const outcome = await forEach(items, act, {
      tell: (over) => {
        this.work = { over, of: items.length };
        this.changed();
      },
    });
    for (const { error } of outcome.failed) this.session.notice(error);
    this.work = null;
    await Promise.all([this.readClass(), this.renew()]);
    return outcome;
  }

  /** Reads what was read before again, in place. */
  private async renew(): Promise<void> {
    const { opened } = this;
    const wanted = Math.max(PAGE, this.images.length);
    const images: DatasetImage[] = [];
    let cursor: string | null = '';
    try {
      while (cursor !== null && images.length < wanted) {
        const page = await this.page(cursor, PAGE);
        if (opened !== this.opened) return;
        images.push(...page.data);
        cursor = page.next;
        this.total = page.total;
      }
      Object.assign(this, { images, cursor, isWhole: cursor === null });
    } catch (error) {
      this.session.notice(error);
      this.fault = error;
    }
    this.changed();
  }

  private async change(body: { label?: string; active?: boolean }): Promise<void> {
    const path = 'PATCH /v1/datasets/{datasetId}/classes/{classId}/';
    this.of = await this.session.client.request(path, { params: this.place, body });
    this.changed();
  }

  private async readClass(): Promise<void> {
    try {
      const path = 'GET /v1/datasets/{datasetId}/classes/{classId}/';
      this.of = await this.session.client.request(path, { params: this.place });
    } catch (error) {
      this.session.notice(error);
      this.fault = error;
    }
    this.changed();
  }

  private async page(cursor: string, limit: number) {
    const { show } = this;
    const path = 'GET /v1/datasets/{datasetId}/classes/{classId}/images';
    const filter = show === 'all' ? {} : show === 'inactive' ? { active: false } : { face_clustering: show };
    const query = { limit, cursor, ...filter };
    const { data, total, next } = await this.session.client.request(path, { params: this.place, query });
    return { data, total, next: next === null ? null : new URL(next).searchParams.get('cursor') };
  }
}

/** Changes with each change of a class and each evaluation. */
function stampOf(of: DatasetClass | null): string {
  return of === null ? '' : `${of.time_updated} ${Object.values(of.time_evaluated).join(' ')}`;
}
