import type { HealthProblem, HealthProblemCode, InstallationHealth } from '@adit/contracts';

/** Services that every installation of several processes needs. */
const SERVICES = ['gateway', 'aggregator', 'decoder', 'notifier'];
/** Any of these looks at media. */
const INFERENCE = 'inference-';
/** Does the work of all. */
const STANDALONE = 'standalone';
/** As the alerts AditEventsBehind, AditStreamsWait and AditDiskFills have it. */
const MANY_MESSAGES = 5_000;
const LONG_WAIT_SECONDS = 120;
const LITTLE_ROOM = 0.1;
/** Share of its quota from which a workspace is told. */
const QUOTA_FILLS = 0.9;

/** @param fallbacks how often a model could not be loaded on a GPU by the process that answers */
export function problemsOf(
  health: Omit<InstallationHealth, 'problems' | 'time'>,
  { fallbacks }: { fallbacks: number },
): HealthProblem[] {
  return [...ofDependencies(health), ...ofServices(health), ...ofWorkspace(health), ...ofLoad(health, fallbacks)];
}

const problem = (code: HealthProblemCode, about: string, message: string): HealthProblem => ({ code, about, message });

function ofDependencies({ dependencies }: Pick<InstallationHealth, 'dependencies'>): HealthProblem[] {
  return dependencies.flatMap(({ name, ok, reason }) =>
    ok
      ? []
      : [
          problem(
            'dependency_away',
            name,
            `“${name}” cannot be used: ${reason ?? 'it does not answer'}. Work that needs it waits, and goes on when it answers again.`,
          ),
        ],
  );
}

function ofServices({ services }: Pick<InstallationHealth, 'services'>): HealthProblem[] {
  const running = services.map(({ service }) => service);
  const missing = running.includes(STANDALONE) ? [] : SERVICES.filter((service) => !running.includes(service));
  if (!running.includes(STANDALONE) && !running.some((service) => service.startsWith(INFERENCE))) {
    missing.push('inference');
  }
  const versions = [...new Set(services.map(({ version }) => version))];
  return [
    ...missing.map((service) =>
      problem(
        'service_missing',
        service,
        `No process of the service “${service}” has shown a sign of life: its work waits and nothing is lost. Start one; its log says why one ended.`,
      ),
    ),
    ...(versions.length > 1
      ? [
          problem(
            'builds_mixed',
            versions.join(', '),
            `Processes of several releases run: ${versions.join(', ')}. That is right while you upgrade; else replace the older ones.`,
          ),
        ]
      : []),
  ];
}

function ofWorkspace({ workspace }: Pick<InstallationHealth, 'workspace'>): HealthProblem[] {
  const { storage_used: used, storage_bytes: limit, webhooks_disabled: disabled } = workspace;
  return [
    ...(limit !== null && used >= limit * QUOTA_FILLS
      ? [
          problem(
            'quota_fills',
            `${Math.floor((used / limit) * 100)} %`,
            `The workspace has used ${Math.floor((used / limit) * 100)} % of its storage. At 100 % uploads are refused and recordings pause: delete files, or ask for more.`,
          ),
        ]
      : []),
    ...(disabled > 0
      ? [
          problem(
            'webhooks_disabled',
            String(disabled),
            `Webhooks that Adit has disabled: ${disabled}. Their receivers are told nothing; mend those, then enable the webhooks again.`,
          ),
        ]
      : []),
  ];
}

function ofLoad({ installation }: Pick<InstallationHealth, 'installation'>, fallbacks: number): HealthProblem[] {
  if (installation === null) return [];
  const { disk, queues, streams } = installation;
  return [
    ...(disk !== null && disk.free < disk.size * LITTLE_ROOM
      ? [
          problem(
            'disk_fills',
            `${Math.floor((disk.free / Math.max(1, disk.size)) * 100)} %`,
            'Less than a tenth of the disk is free. Make room, or let retention delete more: when it is full, jobs wait.',
          ),
        ]
      : []),
    ...(queues ?? [])
      .filter(({ messages }) => messages > MANY_MESSAGES)
      .map(({ group, topic, messages }) =>
        problem(
          'queue_behind',
          group,
          `${messages} messages of “${topic}” wait for “${group}”. Start more processes of that service, or see what slows them down.`,
        ),
      ),
    ...(streams.waiting > 0 && streams.longest_wait > LONG_WAIT_SECONDS
      ? [
          problem(
            'streams_wait',
            String(streams.waiting),
            `Live streams have waited for a recorder for ${Math.round(streams.longest_wait)} s. Start more recorders, or raise ADIT_STREAMS_PER_RECORDER; streams beyond ADIT_STREAMS_PER_WORKSPACE wait for others to end.`,
          ),
        ]
      : []),
    ...(fallbacks > 0
      ? [
          problem(
            'gpu_not_used',
            String(fallbacks),
            'Models could not be loaded on the GPU and run on the processor, which is far slower. The log has the reason, “adit doctor” too.',
          ),
        ]
      : []),
  ];
}
