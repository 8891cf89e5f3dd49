import { BUS, type Bus } from '@adit/bus';
import { isoTime, type InstallationLoad } from '@adit/contracts';
import { liveServices, taskCounts, workerSlots } from '@adit/leases';
import { health, metricValues } from '@adit/runtime';
import { storageUsed } from '@adit/storage';
import { streamCounts } from '@adit/streams';
import { Controller, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { problemsOf } from './health-problems.js';
import { getHealth } from './health-routes.js';

/** The number of streams that a workspace may have is a setting of recorders: all that wait are counted. */
const NO_LIMIT = 2 ** 31 - 1;
/** The longest queues. */
const MAX_QUEUES = 50;

/** What runs and what lags, for people. */
@Controller()
export class InstallationHealthController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'storageBytes'>,
  ) {}

  @Route(getHealth)
  async look(_: Input<typeof getHealth>, { caller: { workspaceId, role } }: Exchange) {
    const [{ checks }, services, workspace, installation, fallbacks] = await Promise.all([
      health.readyz(),
      liveServices(this.db),
      this.workspace(workspaceId),
      role === 'owner' ? this.installation() : Promise.resolve(null),
      metricValues('adit_provider_fallbacks_total'),
    ]);
    const dependencies = checks.map(({ name, ok, reason, tookMs }) => ({
      ...{ name, ok, reason: ok ? null : (reason ?? null), duration: tookMs / 1000 },
    }));
    const seen = { dependencies, services, workspace, installation };
    const failed = fallbacks.reduce((sum, { value }) => sum + value, 0);
    return { time: isoTime(new Date()), problems: problemsOf(seen, { fallbacks: failed }), ...seen };
  }

  private async workspace(workspaceId: string) {
    const [[row], used] = await Promise.all([
      this.db.query<WorkspaceRow[]>(WORKSPACE, [workspaceId]),
      storageUsed(this.db.manager, [workspaceId]),
    ]);
    const { storageBytes, ...counts } = row ?? NOTHING;
    const limit = Number(storageBytes ?? this.config.storageBytes);
    return { ...counts, storage_used: used.get(workspaceId) ?? 0, storage_bytes: limit === 0 ? null : limit };
  }

  private async installation(): Promise<InstallationLoad> {
    const [slots, lags, tasks, streams, models, disk] = await Promise.all([
      workerSlots(this.db),
      // eslint-disable-next-line adit/no-lost-errors -- a bus that is away says nothing of its lag; the dependencies say that it is away
      this.bus.lag().catch(() => null),
      taskCounts(this.db),
      streamCounts(this.db, NO_LIMIT),
      loadedModels(),
      metricValues('adit_data_disk_bytes'),
    ]);
    const of = (state: string): number | undefined => disk.find(({ labels }) => labels['state'] === state)?.value;
    const [size, free] = [of('size'), of('free')];
    return {
      slots,
      queues: lags === null ? null : longest(lags),
      tasks: tasks.filter(({ waiting, running }) => waiting + running > 0),
      streams: { reading: streams.running, waiting: streams.waiting, longest_wait: Math.max(0, streams.seconds) },
      models,
      disk: size === undefined || free === undefined ? null : { size, free },
    };
  }
}

type Lags = Awaited<ReturnType<Bus['lag']>>;

function longest(lags: Lags): Lags {
  const some = lags.filter(({ messages }) => messages > 0).sort((a, b) => b.messages - a.messages);
  return some.slice(0, MAX_QUEUES).map(({ group, topic, messages }) => ({ group, topic, messages }));
}

async function loadedModels(): Promise<InstallationLoad['models']> {
  const [versions, bytes, providers] = await Promise.all(
    ['adit_model_loaded', 'adit_model_bytes', 'adit_model_provider'].map(metricValues),
  );
  const of = <T>(values: typeof versions, model: string, read: (found: NonNullable<typeof versions>[number]) => T) => {
    const found = values?.find(({ labels }) => labels['model'] === model);
    return found === undefined ? null : read(found);
  };
  return (versions ?? []).flatMap(({ labels: { model = '' }, value }) =>
    value === 0
      ? []
      : [
          {
            ...{ model, versions: value, bytes: of(bytes, model, (found) => found.value) ?? 0 },
            provider: of(providers, model, ({ labels }) => labels['provider'] ?? null),
          },
        ],
  );
}

interface WorkspaceRow {
  jobs_waiting: number;
  jobs_processing: number;
  streams_waiting: number;
  streams_reading: number;
  webhooks_disabled: number;
  /** Null: as the gateway is configured. */
  storageBytes: string | null;
}

const NOTHING: WorkspaceRow = {
  ...{ jobs_waiting: 0, jobs_processing: 0, streams_waiting: 0, streams_reading: 0, webhooks_disabled: 0 },
  storageBytes: null,
};

const WORKSPACE = `
  SELECT w.storage_bytes AS "storageBytes", j.waiting AS jobs_waiting, j.processing AS jobs_processing,
         s.waiting AS streams_waiting, s.reading AS streams_reading,
         (SELECT count(*)::int FROM webhooks
           WHERE workspace_id = $1 AND NOT enabled AND disabled_reason IS NOT NULL) AS webhooks_disabled
    FROM workspaces w,
         LATERAL (SELECT count(*) FILTER (WHERE state = 'waiting')::int AS waiting,
                         count(*) FILTER (WHERE state = 'processing')::int AS processing
                    FROM jobs WHERE workspace_id = $1 AND state IN ('waiting', 'processing') AND time_deleted IS NULL
                     AND export_id IS NULL) AS j,
         LATERAL (SELECT count(*) FILTER (WHERE state = 'processing' AND lease_until > now())::int AS reading,
                         count(*) FILTER (WHERE state = 'waiting' OR coalesce(lease_until, now()) <= now())::int AS waiting
                    FROM streams WHERE workspace_id = $1 AND state IN ('waiting', 'processing')) AS s
   WHERE w.id = $1`;
