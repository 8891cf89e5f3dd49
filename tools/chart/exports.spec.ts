import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BUS, type Bus } from '@adit/bus';
import { PUBLIC_PATHS } from '@adit/gateway';
import { counter, gauge, histogram } from '@adit/runtime';
import { startEngine } from '@adit/standalone';
import { load } from 'js-yaml';
import { chartFolder, describeWithPrograms, objectsOf, render } from './chart.js';

/** Labels that Prometheus adds through the chart's ServiceMonitor. */
const OF_THE_SCRAPE = ['namespace', 'installation', 'component', 'pod', 'job', 'instance'];
/** Metrics of other exporters. */
const FOREIGN = /^(up|kube_\w+)$/;

interface Fact {
  port: number;
  images?: string[];
  subscriptions?: Record<string, string[]>;
  paths?: Record<string, string>;
}

const read = (path: string): Promise<string> => readFile(join(chartFolder, path), 'utf8');

let dataDir: string;
let engine: Awaited<ReturnType<typeof startEngine>>;
/** Label names by metric, of everything that an engine with all services exports. */
const exported = new Map<string, string[]>();
let groups: { group: string; topic: string }[];
let page: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'adit-exports-'));
  engine = await startEngine({ dataDir, port: 0, host: '127.0.0.1', quiet: true, apiKey: 'a-key-of-the-specs' });
  groups = await engine.app.get<Bus>(BUS).lag();
  page = await (await fetch(new URL('/metrics', engine.url))).text();
  for (const [, name, type] of page.matchAll(/^# TYPE (\w+) (counter|gauge|histogram)$/gm)) {
    const isHistogram = type === 'histogram';
    const labels = [...labelsOf(name!, type!), ...(isHistogram ? ['le'] : [])];
    for (const suffix of isHistogram ? ['_bucket', '_sum', '_count'] : ['']) exported.set(`${name}${suffix}`, labels);
  }
}, 300_000);
afterAll(async () => {
  await engine?.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Label names from the metric's definition: the page shows labels only once a value exists. */
function labelsOf(name: string, type: string): string[] {
  const existing = { counter, gauge, histogram: (of: string) => histogram(of, '', [], []) }[type]!(name, '', []);
  return (existing as unknown as { labelNames: string[] }).labelNames;
}

/** The metrics that an expression names and the labels that it asks of them, as far as they are no metric's. */
function faultsOf(expression: string): string[] {
  const bare = expression.replace(/"[^"]*"/g, '""').replace(/\$\w+/g, '');
  const faults: string[] = [];
  const known = new Set(OF_THE_SCRAPE);
  for (const [, name, matchers] of bare.matchAll(/\b((?:adit|nodejs|process|kube)_\w+|up)\b(?:\{([^}]*)\})?/g)) {
    if (FOREIGN.test(name!)) continue;
    const labels = exported.get(name!);
    if (labels === undefined) {
      faults.push(`no metric ${name}`);
      continue;
    }
    for (const label of labels) known.add(label);
    for (const [, label] of (matchers ?? '').matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) {
      if (!labels.includes(label!) && !OF_THE_SCRAPE.includes(label!)) faults.push(`${name} has no label ${label}`);
    }
  }
  for (const [, list] of bare.matchAll(/\bby \(([^)]*)\)/g)) {
    for (const label of list!.split(',').map((each) => each.trim())) {
      if (!known.has(label)) faults.push(`nothing in "${expression}" has a label ${label}`);
    }
  }
  return faults;
}

describe('what the chart asks of the engine', () => {
  it('are metrics that it exports, by labels that they have: alerts', async () => {
    const { alerts } = load(await read('files/alerts.yaml')) as { alerts: { alert: string; expr: string }[] };
    expect(alerts.length).toBeGreaterThan(12);
    expect(alerts.flatMap(({ alert, expr }) => faultsOf(expr).map((fault) => `${alert}: ${fault}`))).toEqual([]);
  });

  it('are metrics that it exports, by labels that they have: dashboard', async () => {
    const { panels } = JSON.parse(await read('files/dashboard.json')) as {
      panels: { title: string; targets?: { expr: string }[] }[];
    };
    const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
    expect(queries.length).toBeGreaterThan(20);
    expect(queries.flatMap(({ title, expr }) => faultsOf(expr).map((fault) => `${title}: ${fault}`))).toEqual([]);
  });

  it('finds fault with what is not there', () => {
    expect(faultsOf('sum by (colour) (adit_jobs{state="x",size="y"}) / adit_none')).toEqual([
      'adit_jobs has no label size',
      'no metric adit_none',
      expect.stringMatching(/has a label colour$/),
    ]);
  });

  it('scales decoders and inference by all that they read, by the names of the code', async () => {
    const facts = load(await read('files/services.yaml')) as Record<string, Fact>;
    const asked = Object.values(facts).flatMap(({ subscriptions = {} }) =>
      Object.entries(subscriptions).flatMap(([group, topics]) => topics.map((topic) => `${group} ${topic}`)),
    );
    const real = groups.filter(({ group }) => /^(decoder|inference-.*)$/.test(group));
    expect(asked.sort()).toEqual(real.map(({ group, topic }) => `${group} ${topic}`).sort());
  });
});

it('the chart lets in from outside what the gateway serves to people and clients', async () => {
  const { gateway } = load(await read('files/services.yaml')) as Record<string, Fact>;
  expect(gateway?.paths).toEqual(PUBLIC_PATHS);
  for (const page of ['/', '/api/docs', '/console/', '/editor/00000000-0000-4000-8000-000000000000']) {
    expect([page, (await fetch(new URL(page, engine.url))).status]).toEqual([page, 200]);
  }
});

interface Trigger {
  type: string;
  metadata: { url: string; format: string; valueLocation: string };
}

await describeWithPrograms('what KEDA asks of the aggregator', ['helm'], () => {
  it('is on its page of metrics: images of datasets for each family that looks at them, and live streams', async () => {
    const objects = objectsOf(await render(['standard'], '1.34'));
    const asked = objects
      .filter(({ kind }) => kind === 'ScaledObject')
      .flatMap(({ spec }) => spec['triggers'] as Trigger[])
      .filter(({ type }) => type === 'metrics-api');
    const { aggregator } = load(await read('files/services.yaml')) as Record<string, Fact>;
    for (const { metadata } of asked) {
      expect(metadata).toMatchObject({
        format: 'prometheus',
        url: `http://adit-aggregator.media.svc:${aggregator!.port}/metrics`,
      });
    }
    const counted = page.split('\n').filter((line) => /^adit_(dataset_images\{|streams_to_read )/.test(line));
    expect(counted.sort()).toEqual(asked.map(({ metadata }) => `${metadata.valueLocation} 0`).sort());
    expect(counted).toHaveLength(3);
  });
});
