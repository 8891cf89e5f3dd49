import type { Dataset, Erasure } from '@adit/client';
import { Observable } from '../../../shared/observable.js';
import type { Session } from '../session.js';

const PAGE = 1_000;

/** The datasets that teach people. */
export class Galleries extends Observable {
  datasets: Dataset[] | null = null;
  fault: unknown = null;

  constructor(readonly session: Session) {
    super();
  }

  async read(): Promise<void> {
    try {
      const page = await this.session.client.request('GET /v1/datasets/', { query: { limit: PAGE } });
      Object.assign(this, { datasets: page.data.filter(({ type }) => type === 'face'), fault: null });
    } catch (error) {
      this.session.notice(error);
      this.fault = error;
    }
    this.changed();
  }
}

/** Erases a person of a gallery with all photos. The receipt says `processing` until nothing of them is left. */
export function forgetClass(
  { client }: Session,
  { datasetId, classId }: { datasetId: string; classId: string },
): Promise<Erasure> {
  return client.request('POST /v1/erasures/', { body: { dataset_id: datasetId, class_id: classId } });
}
