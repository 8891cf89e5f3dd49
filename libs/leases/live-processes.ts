import { randomUUID } from 'node:crypto';
import { BackgroundService } from '@adit/outbox';
import type { DataSource } from 'typeorm';
import { removeSigns } from './signs-of-life.js';

/** Time without a sign of life after which a process no longer counts. */
const SECONDS = 60;
const PERIOD_MILLISECONDS = (SECONDS * 1000) / 3;
const PREFIX = 'process/';

/** Processes of one service in one release. */
export interface LiveService {
  service: string;
  version: string;
  processes: number;
}

/** Announces that this process runs, from its start to its end, so that others can tell what there is. */
export class LiveProcess extends BackgroundService {
  private readonly holder = randomUUID();
  private readonly name: string;

  constructor(
    private readonly db: Pick<DataSource, 'query'>,
    { service, version }: Pick<LiveService, 'service' | 'version'>,
  ) {
    super('live processes', PERIOD_MILLISECONDS);
    this.name = `${PREFIX}${[service, version, this.holder].map(encodeURIComponent).join('/')}`;
  }

  protected async round(): Promise<void> {
    await this.db.query(
      `INSERT INTO leases (name, holder, lease_until) VALUES ($1, $2, now() + make_interval(secs => $3))
       ON CONFLICT (name) DO UPDATE SET lease_until = excluded.lease_until`,
      [this.name, this.holder, SECONDS],
    );
  }

  /** Removes what killed processes left, too. */
  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    const sql = `DELETE FROM leases WHERE name = $1 OR (starts_with(name, $2) AND lease_until <= now())`;
    await removeSigns(this.db, sql, [this.name, PREFIX]);
  }
}

/** What runs now, by service and release. Processes of builds that announce nothing are missing. */
export async function liveServices(db: Pick<DataSource, 'query'>): Promise<LiveService[]> {
  const rows: { name: string }[] = await db.query(
    'SELECT name FROM leases WHERE starts_with(name, $1) AND lease_until > now() ORDER BY name',
    [PREFIX],
  );
  const services = new Map<string, LiveService>();
  for (const { name } of rows) {
    const [service = '', version = ''] = name.slice(PREFIX.length).split('/').map(decodeURIComponent);
    const key = `${service}/${version}`;
    services.set(key, { service, version, processes: (services.get(key)?.processes ?? 0) + 1 });
  }
  return [...services.values()];
}
