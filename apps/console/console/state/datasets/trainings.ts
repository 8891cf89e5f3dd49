import type { Training, TrainingRequest } from '@adit/client';
import { Observable } from '../../../shared/observable.js';
import type { Session } from '../session.js';

const PAGE = 50;
/** How far a training is, is in no event. */
const POLL_MS = 1_000;
const RECONNECT_MS = 5_000;

export function hasEnded({ time_completed: end }: Pick<Training, 'time_completed'>): boolean {
  return end !== null;
}

export function startTraining({ client }: Session, body: TrainingRequest): Promise<Training> {
  return client.request('POST /v1/trainings/', { body });
}

export async function removeTraining({ client }: Session, trainingId: string): Promise<void> {
  await client.request('DELETE /v1/trainings/{trainingId}/', { params: { trainingId } });
}

/** The trainings of the workspace, newest first, or one of them; kept up to date. */
export class Trainings extends Observable {
  trainings: Training[] | null = null;
  total = 0;
  hasMore = false;
  fault: unknown = null;
  private cursor: string | null = null;

  constructor(
    readonly session: Session,
    /** Null: all. */
    readonly trainingId: string | null = null,
  ) {
    super();
  }

  /** Follows them until the signal: progress is read, and the end is told by an event. */
  async follow(signal: AbortSignal): Promise<void> {
    await this.read();
    void this.followEvents(signal);
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      if (!isOver() && !document.hidden && this.trainings?.every(hasEnded) === false) await this.read();
    }
  }

  async read(): Promise<void> {
    const { client } = this.session;
    try {
      if (this.trainingId === null) {
        const page = await client.request('GET /v1/trainings', { query: { limit: PAGE, cursor: '' } });
        this.take(page);
        this.trainings = page.data;
      } else {
        const params = { trainingId: this.trainingId };
        this.trainings = [await client.request('GET /v1/trainings/{trainingId}/', { params })];
      }
      this.fault = null;
    } catch (error) {
      this.session.notice(error);
      this.fault = error;
    }
    this.changed();
  }

  async more(): Promise<void> {
    const { cursor } = this;
    if (cursor === null) return;
    try {
      const page = await this.session.client.request('GET /v1/trainings', { query: { limit: PAGE, cursor } });
      this.take(page);
      this.trainings = [...(this.trainings ?? []), ...page.data];
    } catch (error) {
      this.session.notice(error);
      this.fault = error;
    }
    this.changed();
  }

  private take({ total, next }: { total: number; next: string | null }): void {
    this.total = total;
    this.cursor = next === null ? null : new URL(next).searchParams.get('cursor');
    this.hasMore = this.cursor !== null;
  }

  private async followEvents(signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      try {
        for await (const { event } of this.session.client.events({ signal })) {
          if (event.startsWith('svc.training.')) await this.read();
        }
      } catch (error) {
        if (isOver()) return;
        this.session.notice(error);
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
      }
    }
  }
}
