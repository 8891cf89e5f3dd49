import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chartFolder, describeWithPrograms, objectsOf, render, runProgram } from './chart.js';

interface Rule {
  alert: string;
  expr: string;
  annotations: { summary: string; runbook_url: string };
}
interface Panel {
  targets?: { expr: string }[];
}
/** Series in promtool's notation by name and labels; those of the installation are added. */
type Series = Record<string, string>;
interface Case {
  /** Minutes after which it is looked at. */
  at: number;
  fires: Series;
  silent: Series;
  /** Minutes between looks at the rules; 1 when left out. Days of every minute take promtool longer than all others together. */
  every?: number;
}

/** Those that have pods all the time in the installation that is looked at. */
const SERVICES = ['gateway', 'notifier', 'aggregator', 'decoder', 'recorder', 'inference-gpu'];
const up = (...without: string[]): Series =>
  Object.fromEntries(
    SERVICES.filter((name) => !without.includes(name)).map((name) => [`up{component="${name}"}`, '1x60']),
  );
const BUS = 'group="decoder",topic="chunks.requested"';
const POST = 'method="POST",route="/api/v1/jobs/"';

const CASES: Record<string, Case> = {
  AditServiceGone: { at: 20, fires: up('gateway'), silent: up() },
  AditPodNotAnswering: {
    at: 20,
    fires: { 'up{pod="a"}': '1x5 0x30' },
    silent: { 'up{pod="a"}': '1x5 0x5 1x30' },
  },
  AditJobsFail: {
    at: 90,
    fires: {
      'adit_jobs_ended_total{state="failed"}': '0+1x120',
      'adit_jobs_ended_total{state="completed"}': '0+1x120',
    },
    silent: {
      'adit_jobs_ended_total{state="failed"}': '0+0.1x120',
      'adit_jobs_ended_total{state="completed"}': '0+1x120',
    },
  },
  AditJobsStandStill: {
    at: 80,
    fires: { 'adit_jobs{state="processing"}': '2x120', [`adit_bus_messages_handled_total{${BUS}}`]: '5x120' },
    silent: {
      'adit_jobs{state="processing"}': '2x120',
      // For an hour one large source is fetched.
      [`adit_bus_messages_handled_total{${BUS}}`]: '0+1x30 30x90',
      'adit_bus_lag_messages{group="decoder",topic="sources.requested"}': '1x120',
    },
  },
  AditLagStandsStill: {
    at: 60,
    fires: { [`adit_bus_lag_messages{${BUS}}`]: '3x120', [`adit_bus_messages_handled_total{${BUS}}`]: '5x120' },
    silent: {
      [`adit_bus_lag_messages{${BUS}}`]: '3x120',
      [`adit_bus_messages_handled_total{${BUS}}`]: '0+1x120',
      // Fetching one may take an hour.
      'adit_bus_lag_messages{group="decoder",topic="sources.requested"}': '1x120',
    },
  },
  AditTasksWait: {
    at: 40,
    fires: {
      'adit_tasks{task="dataset_images",state="waiting"}': '12x60',
      'adit_tasks{task="dataset_images",state="running"}': '0x60',
    },
    silent: {
      'adit_tasks{task="dataset_imports",state="waiting"}': '3x60',
      'adit_tasks{task="dataset_imports",state="running"}': '1x60',
      // Each is begun within minutes.
      'adit_tasks{task="trainings",state="waiting"}': '1x10 0x1 1x12 0x40',
      'adit_tasks{task="trainings",state="running"}': '0x60',
    },
  },
  AditStreamsWait: {
    at: 20,
    fires: { adit_streams_waiting_seconds: '0+60x60' },
    // A new recorder takes one over.
    silent: { adit_streams_waiting_seconds: '0+60x3 0x2 0+60x3 0x50' },
  },
  AditEventsBehind: {
    at: 30,
    fires: { 'adit_bus_lag_messages{group="notifier",topic="events.raised"}': '9000x60' },
    silent: { 'adit_bus_lag_messages{group="notifier",topic="events.raised"}': '900x60' },
  },
  AditOutboxWaits: {
    at: 20,
    fires: { adit_outbox_age_seconds: '0+30x60' },
    silent: { adit_outbox_age_seconds: '2x60' },
  },
  AditDeadLetters: {
    at: 50,
    // The first of its kind: the counter was not there before.
    fires: { [`adit_bus_dead_letters_total{${BUS},code="INTERNAL"}`]: '_x45 1x30' },
    silent: { [`adit_bus_dead_letters_total{${BUS},code="INTERNAL"}`]: '7x90' },
  },
  AditUnsendableMessages: {
    at: 50,
    fires: { 'adit_outbox_unsendable_total{topic="chunks.requested"}': '1x40 2x30' },
    silent: { 'adit_outbox_unsendable_total{topic="chunks.requested"}': '1x90' },
  },
  AditProcessesDie: {
    at: 45,
    fires: { 'adit_redispatched_total{kind="chunk"}': '0+1x60' },
    silent: { 'adit_redispatched_total{kind="chunk"}': '0+0.1x60' },
  },
  AditDependencyAway: {
    at: 30,
    fires: { 'adit_tries_postponed_total{work="chunk"}': '0+60x60' },
    silent: { 'adit_tries_postponed_total{work="chunk"}': '0+1x60' },
  },
  AditStorageFull: {
    at: 10,
    fires: { adit_object_store_full: '1x60', adit_database_full: '0x60' },
    silent: { adit_object_store_full: '0x60', adit_database_full: '0x60' },
  },
  AditDiskFills: {
    at: 30,
    fires: {
      'adit_data_disk_bytes{pod="a",state="free"}': '5x60',
      'adit_data_disk_bytes{pod="a",state="size"}': '100x60',
    },
    silent: {
      'adit_data_disk_bytes{pod="a",state="free"}': '20x60',
      'adit_data_disk_bytes{pod="a",state="size"}': '100x60',
    },
  },
  AditQuotaFull: {
    at: 30,
    // The first of its kind: the counter was not there before.
    fires: { 'adit_http_requests_total{status="507"}': '_x20 1x30', adit_object_store_full: '0x60' },
    silent: { 'adit_http_requests_total{status="507"}': '_x20 1x30', adit_object_store_full: '0x20 1x5 0x30' },
  },
  AditCertificateEnds: {
    at: 90,
    fires: { 'adit_certificate_expires_timestamp_seconds{setting="ADIT_TLS_CERT_FILE"}': '864000x120' },
    silent: { 'adit_certificate_expires_timestamp_seconds{setting="ADIT_TLS_CERT_FILE"}': '2592000x120' },
  },
  AditApiBudgetBurns: {
    at: 400,
    every: 2,
    // Four in a hundred for hours, which is below fourteen times the budget.
    fires: {
      'adit_http_requests_total{status="500"}': '0+4x450',
      'adit_http_requests_total{status="200"}': '0+96x450',
    },
    // An hour of it that is over.
    silent: {
      'adit_http_requests_total{status="500"}': '0+40x300 12000x150',
      'adit_http_requests_total{status="200"}': '0+60x450',
    },
  },
  AditJobsBudgetBurns: {
    at: 600,
    every: 5,
    fires: {
      'adit_jobs_ended_total{state="failed"}': '0+0.1x700',
      'adit_jobs_ended_total{state="completed"}': '0+0.9x700',
    },
    silent: {
      'adit_jobs_ended_total{state="failed"}': '0+0.03x700',
      'adit_jobs_ended_total{state="completed"}': '0+0.97x700',
    },
  },
  AditApiFails: {
    at: 30,
    fires: {
      'adit_http_requests_total{status="500"}': '0+10x60',
      'adit_http_requests_total{status="200"}': '0+100x60',
    },
    silent: {
      'adit_http_requests_total{status="500"}': '0+1x60',
      'adit_http_requests_total{status="200"}': '0+100x60',
    },
  },
  AditApiSlow: {
    at: 40,
    fires: {
      [`adit_http_request_seconds_bucket{${POST},le="1"}`]: '0x60',
      [`adit_http_request_seconds_bucket{${POST},le="5"}`]: '0+10x60',
      [`adit_http_request_seconds_bucket{${POST},le="+Inf"}`]: '0+10x60',
    },
    silent: {
      [`adit_http_request_seconds_bucket{${POST},le="1"}`]: '0+10x60',
      [`adit_http_request_seconds_bucket{${POST},le="5"}`]: '0+10x60',
      [`adit_http_request_seconds_bucket{${POST},le="+Inf"}`]: '0+10x60',
    },
  },
  AditWebhooksBehind: {
    at: 30,
    fires: { adit_webhook_oldest_due_seconds: '600x60' },
    silent: { adit_webhook_oldest_due_seconds: '30x60' },
  },
  AditEventLoopLag: {
    at: 20,
    fires: { 'nodejs_eventloop_lag_p99_seconds{pod="a"}': '0.5x60' },
    silent: { 'nodejs_eventloop_lag_p99_seconds{pod="a"}': '0.05x60' },
  },
  AditBuildsMixed: {
    at: 90,
    fires: { 'adit_build_info{version="1.0.0",pod="a"}': '1x120', 'adit_build_info{version="1.1.0",pod="b"}': '1x120' },
    silent: {
      'adit_build_info{version="1.1.0",pod="a"}': '1x120',
      'adit_build_info{version="1.1.0",pod="b"}': '1x120',
    },
  },
  AditGpuNotUsed: {
    at: 20,
    fires: { 'adit_model_load_seconds_count{component="inference-gpu",pod="a",model="m",provider="cpu"}': '1x60' },
    silent: {
      'adit_model_load_seconds_count{component="inference-gpu",pod="a",model="m",provider="cuda"}': '1x60',
      'adit_model_load_seconds_count{component="inference-object",pod="b",model="m",provider="cpu"}': '1x60',
    },
  },
  AditBackupOld: {
    at: 2400,
    every: 10,
    // Never, since the job was made.
    fires: { 'kube_cronjob_created{cronjob="adit-backup"}': '0x2500' },
    silent: {
      'kube_cronjob_created{cronjob="adit-backup"}': '0x2500',
      'kube_cronjob_status_last_successful_time{cronjob="adit-backup"}': '129600x2500',
    },
  },
};

const folder = mkdtempSync(join(tmpdir(), 'adit-alerts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The labels that the chart's ServiceMonitor gives to everything, beside those of `key`. */
function placed(key: string): string {
  const here = 'namespace="media",installation="adit"';
  return key.includes('{') ? key.replace('{', `{${here},`) : `${key}{${here}}`;
}

await describeWithPrograms('the alerts', ['helm', 'promtool'], () => {
  let rules: Rule[];

  beforeAll(async () => {
    // All that there are; services that may have no pods are missed by nobody.
    const text = await render(['standard', 'gpu'], '1.34');
    const found = objectsOf(text).find(({ kind }) => kind === 'PrometheusRule')!;
    rules = (found.spec['groups'] as { rules: Rule[] }[])[0]!.rules;
    writeFileSync(join(folder, 'rules.yaml'), JSON.stringify(found.spec));
  });

  it('are rules without a fault', async () => {
    expect(await runProgram('promtool', ['check', 'rules', join(folder, 'rules.yaml')])).toContain('SUCCESS');
  });

  it('have a case each, and a chapter of docs/operating/operations.md that says what to do', () => {
    const names = [...new Set(rules.map(({ alert }) => alert))].sort();
    expect(Object.keys(CASES).sort()).toEqual(names);
    const page = readFileSync(join(chartFolder, '../../docs/operating/operations.md'), 'utf8');
    const chapters = [...page.matchAll(/^### (Adit\w+)$/gm)].map(([, name]) => name);
    expect(chapters.sort()).toEqual(names);
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook_url).toBe(`docs/operating/operations.md#${alert.toLowerCase()}`);
    }
  });

  it('lead to a page of yours where its address is given', async () => {
    const base = 'https://wiki.example.org/adit/operations';
    const text = await render(['standard'], '1.34', '--set', `monitoring.rules.runbookUrl=${base}`);
    const urls = [...text.matchAll(/runbook_url: (\S+)/g)].map(([, url]) => url!);
    expect(urls.length).toBeGreaterThan(15);
    for (const url of urls) expect(url).toMatch(/^https:\/\/wiki\.example\.org\/adit\/operations#adit[a-z]+$/);
  });

  it('burn budgets of the size that the values say', async () => {
    const text = await render(['standard'], '1.34', '--set-json', 'monitoring.slo={"api":99.9,"jobs":90}');
    expect(text).toContain('> 14.4 * 0.00100');
    expect(text).toContain('> 6 * 0.10000');
  });

  /** @hardening overload: Long work holds the event loop */
  it('fire when they should and are silent when not', async () => {
    const tests = Object.entries(CASES).flatMap(([alert, { at, fires, silent, every = 1 }]) =>
      [fires, silent].map((series, index) => ({
        every,
        interval: '1m',
        input_series: Object.entries(series).map(([key, values]) => ({ series: placed(key), values })),
        promql_expr_test: [
          {
            expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
            eval_time: `${at}m`,
            exp_samples: index === 0 ? [{ labels: '{}', value: 1 }] : [],
          },
        ],
      })),
    );
    const files = [...new Set(tests.map(({ every }) => every))].map((minutes) => {
      const file = join(folder, `tests-${minutes}.yaml`);
      const own = tests.filter(({ every }) => every === minutes).map(({ every: _, ...test }) => test);
      writeFileSync(
        file,
        JSON.stringify({ rule_files: ['rules.yaml'], evaluation_interval: `${minutes}m`, tests: own }),
      );
      return file;
    });
    const said = await runProgram('promtool', ['test', 'rules', ...files]);
    expect(said.match(/SUCCESS/g)).toHaveLength(files.length);
  });

  it('of another installation are not fired by this one', async () => {
    for (const { expr } of rules) expect(expr).toMatch(/namespace="media",(installation="adit"|cronjob="adit-backup")/);
  });
});

await describeWithPrograms('the dashboard', ['promtool'], () => {
  it('has no query that Prometheus would not read', async () => {
    const read = (file: string): unknown => JSON.parse(readFileSync(join(chartFolder, 'files', file), 'utf8'));
    const { panels } = read('dashboard.json') as { panels: Panel[] };
    const rules = [...panels, ...(read('dashboard-gpu.json') as Panel[])]
      .flatMap(({ targets = [] }) => targets)
      .map(({ expr }, index) => ({ record: `query:${index}`, expr: expr.replaceAll('$__rate_interval', '5m') }));
    const file = join(folder, 'queries.yaml');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    expect(await runProgram('promtool', ['check', 'rules', file])).toContain(`SUCCESS: ${rules.length} rules found`);
  });
});
