import type { DiskUse, InstallationHealth } from '@adit/client';
import { Observable } from '../../shared/observable.js';
import type { Session } from './session.js';

const POLL_MS = 10_000;

/** What runs and what lags. */
export class Health extends Observable {
  health: InstallationHealth | null = null;
  /** For the role owner alone. */
  disk: DiskUse | null = null;
  fault: unknown = null;

  constructor(readonly session: Session) {
    super();
  }

  /** Looks again and again until the signal. */
  follow(signal: AbortSignal): void {
    if (!this.session.mayManage) return;
    const read = (): void => void this.read();
    read();
    const timer = setInterval(() => document.hidden || read(), POLL_MS);
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  }

  async read(): Promise<void> {
    const { client, me } = this.session;
    try {
      const [health, disk] = await Promise.all([
        client.request('GET /v1/health/'),
        me?.role === 'owner' ? client.request('GET /v1/disk-use/') : null,
      ]);
      Object.assign(this, { health, disk, fault: null });
    } catch (error) {
      this.session.notice(error);
      this.fault = error;
    }
    this.changed();
  }
}
