import { AditApiError, type Canary, type Model, type Prediction } from '@adit/client';
import { Observable } from '../../shared/observable.js';
import { dataAddress } from './data-address.js';
import type { Session } from './session.js';

const POLL_MS = 5_000;

/** A model, its versions, and the one of them that is tried. */
export class ModelDetail extends Observable {
  model: Model | null = null;
  canary: Canary | null = null;
  fault: unknown = null;

  constructor(
    readonly session: Session,
    readonly modelId: string,
  ) {
    super();
  }

  /** Reads the model, and the report of its canary until the signal. */
  async follow(signal: AbortSignal): Promise<void> {
    await this.read();
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      if (isOver() || document.hidden || this.canary?.state !== 'running') continue;
      await this.readCanary().catch((error: unknown) => this.session.notice(error));
    }
  }

  async promote(version: number): Promise<void> {
    const params = { modelId: this.modelId, version };
    await this.session.client.request('POST /v1/models/{modelId}/versions/{version}/promote/', { params });
    await this.read();
  }

  async retire(version: number): Promise<void> {
    const params = { modelId: this.modelId, version };
    await this.session.client.request('POST /v1/models/{modelId}/versions/{version}/retire/', { params });
    await this.read();
  }

  /** `share` from 0 to 1. */
  async startCanary(version: number, share: number): Promise<void> {
    await this.session.client.request('POST /v1/models/{modelId}/canary/', {
      ...{ params: this.params, body: { version, share } },
    });
    await this.readCanary();
  }

  async promoteCanary(): Promise<void> {
    await this.session.client.request('POST /v1/models/{modelId}/canary/promote/', { params: this.params });
    await this.read();
  }

  async dropCanary(): Promise<void> {
    await this.session.client.request('POST /v1/models/{modelId}/canary/drop/', { params: this.params });
    await this.readCanary();
  }

  tryOn(file: File, version: number): Promise<Prediction> {
    return this.session.client.request('POST /v1/models/{modelId}/predict/', {
      ...{ params: this.params, form: { file, version } },
    });
  }

  /** A picture of the report as a data address. */
  async canaryPicture(pictureId: string): Promise<string> {
    const reply = await this.session.client.raw('GET /v1/models/{modelId}/canary/pictures/{pictureId}/', {
      params: { ...this.params, pictureId },
    });
    return dataAddress(new Blob([await reply.arrayBuffer()], { type: 'image/jpeg' }));
  }

  private get params(): { modelId: string } {
    return { modelId: this.modelId };
  }

  private async read(): Promise<void> {
    try {
      this.model = await this.session.client.request('GET /v1/models/{modelId}/', { params: this.params });
      this.fault = null;
      this.changed();
      await this.readCanary();
    } catch (error) {
      this.session.notice(error);
      this.fault = error;
      this.changed();
    }
  }

  private async readCanary(): Promise<void> {
    if (!this.session.mayManage) return;
    try {
      const canary = await this.session.client.request('GET /v1/models/{modelId}/canary/', { params: this.params });
      const hasEnded = this.canary?.state === 'running' && canary.state !== 'running';
      this.canary = canary;
      if (hasEnded) {
        this.model = await this.session.client.request('GET /v1/models/{modelId}/', { params: this.params });
      }
    } catch (error) {
      // Most models were never tried, and some cannot be.
      if (!(error instanceof AditApiError) || ![403, 404, 409].includes(error.status)) throw error;
      this.canary = null;
    }
    this.changed();
  }
}
