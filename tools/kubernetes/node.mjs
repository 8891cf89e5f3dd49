// `npm run chart -- node`: the image of deploy/Dockerfile in pods of this machine, mining while it is replaced.
import { createReadStream, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { startServers } from '@adit/servers';
import { ChaosClient } from '../chaos/client.mjs';
import { disableObservationCache, messagesLeft } from '../chaos/database.mjs';
import { chaosMedia } from '../chaos/media.mjs';
import { commitOf, exportTree } from '../chaos/other-build.mjs';
import { startReceiver } from '../chaos/receiver.mjs';
import { awaitWebhooks, tally } from '../chaos/tally.mjs';
import { repositoryRoot } from '../setup/places.mjs';
import { Checks } from './checks.mjs';
import { expectOk } from './control-plane.mjs';
import { buildImage } from './image.mjs';
import { ADDRESS } from './node-machine.mjs';
import { onNode, releaseOn } from './on-node.mjs';
import { watchMemory } from './pod-memory.mjs';
import { keepAsking } from './requests.mjs';

const USAGE = `Runs the image of deploy/Dockerfile on this machine as a Kubernetes node: containerd, a kubelet and kube-proxy, with
Kafka, PostgreSQL and MinIO beside them.

  npm run chart -- node [--from HEAD^ --jobs 50 --requests 10000 --no-build]

  --from <revision>    the commit whose chart and image are upgraded from (this one, under another name)
  --jobs <number>      jobs that are mined at least while pods are replaced (50)
  --requests <number>  requests to the gateway at least meanwhile (10000)
  --no-build           the images of the run before
  --help               this text

Needs root, for mounts, network interfaces and control groups, on Debian; what it made is gone afterwards. The image is built
by buildah, in a quarter of an hour the first time, and kept in ADIT_CACHE_DIR. Ends with 1 when a job was lost, doubled or
wrong, a request failed, or something else is not as it should be.`;

const OLD = 'localhost/adit:one';
const NEW = 'localhost/adit:two';
const NAMESPACE = 'adit';
const RELEASE = 'adit';
/** Jobs that run at any time. */
const FLIGHT = 4;
const KEY = 'a-key-of-the-chart-run-alone';
const KINDS = ['a photo', 'three photos', 'a film', 'two films', 'no media'];
/** Replicas by service; two where another pod takes over the work of the first. */
const REPLICAS = {
  ...{ gateway: 2, notifier: 1, aggregator: 2, decoder: 2, recorder: 1, 'inference-face': 2 },
  ...{ 'inference-landmark': 1, 'inference-object': 1, 'inference-speech': 1, 'inference-text': 1 },
};
const WAIT = ['--wait', '--timeout', '900s'];

/** Answers the exit code. */
export async function runNode(args) {
  const options = { jobs: 50, requests: 10_000, build: true, from: undefined };
  for (let index = 0; index < args.length; index += 1) {
    const [option, inline] = args[index].split(/=(.*)/s);
    if (option === '--help' || option === '-h') {
      console.log(USAGE);
      return 0;
    }
    if (option === '--no-build') {
      options.build = false;
      continue;
    }
    const value = inline ?? args[++index];
    const name = option.replace(/^--/, '');
    if (name === 'from' && value) options.from = commitOf(value);
    else if (['jobs', 'requests'].includes(name) && Number(value) > 0) options[name] = Number(value);
    else {
      console.error(`Wrong argument: ${option}\n\n${USAGE}`);
      return 2;
    }
  }
  const checks = await onNode(
    (step) => images(step, options),
    (on) => proveOnNode(on, options),
  );
  console.log(
    checks.failed === 0 ? `The chart holds on a node: ${checks.done} checks.` : 'The chart does not hold on a node.',
  );
  return checks.failed === 0 ? 0 : 1;
}

/** Builds the images of this tree and of the commit that is upgraded from; answers their names. */
async function images(step, { build, from }) {
  if (build) await buildImage(step, NEW);
  if (from === undefined) return [NEW];
  if (build) {
    const tree = mkdtempSync(join(tmpdir(), 'adit-tree-'));
    try {
      exportTree(from, tree);
      await buildImage(step, OLD, { source: tree });
    } finally {
      rmSync(tree, { recursive: true, force: true });
    }
  }
  return [NEW, OLD];
}

async function proveOnNode(on, options) {
  const servers = await on.own(startServers({ host: ADDRESS, env: {}, from: ['packages'] }), (each) => each.stop());
  Checks.expect(
    servers.missing.length === 0,
    `These are missing: ${servers.missing.map(({ name }) => name).join(', ')}`,
  );
  const receiver = await on.own(startReceiver(ADDRESS), (each) => each.close());
  if (options.from === undefined) await on.node.tagImage(NEW, OLD);
  await proveRelease(on, { servers, receiver, ...options });
}

async function proveRelease(on, { servers, receiver, jobs, requests, from }) {
  const { checks, scratch, own } = on;
  const secrets = {
    database: { url: servers.postgres.url },
    objects: { 'access-key': servers.minio.accessKey, 'secret-key': servers.minio.secretKey },
    api: { 'api-key': KEY },
  };
  const release = await releaseOn(on, { namespace: NAMESPACE, name: RELEASE, secrets });
  const chart = join(repositoryRoot, 'helm/adit');
  const older = from === undefined ? chart : chartOf(from, join(scratch, 'from'));
  const withValues = (folder, file) => {
    writeFileSync(join(scratch, file), JSON.stringify(valuesFor(servers, folder)));
    return [folder, '--values', join(scratch, file)];
  };
  const memory = await own(Promise.resolve(watchMemory(release.pods)), (each) => each.stop());

  await proveInstall(on, release, withValues(older, 'older.json'));
  const { kinds } = await own(mediaOver(join(scratch, 'media')), (each) => each.close());
  const url = await gatewayOf(release);
  const mining = new Mining(new ChaosClient(url, KEY), kinds, receiver.url);
  await checks.check('every kind of job, undisturbed', () => mining.mineAlone('one', servers.postgres.url));
  const asking = await proveWhileMining(on, release, {
    mining,
    url,
    jobs,
    requests,
    from,
    upgrade: withValues(chart, 'values.json'),
  });
  if (from !== undefined) {
    await checks.check('every kind of job on this build alone', () => mining.mineAlone('two', servers.postgres.url));
  }
  await checks.check('no job was lost, doubled or wrong', () => jobsOk(mining, receiver, servers.postgres.url, from));
  await checks.check('no request to the gateway failed', async () => {
    const { count, failures, slowest } = asking.counted();
    Checks.expect(failures.length === 0, `${failures.length} of ${count} failed:\n${failures.slice(0, 10).join('\n')}`);
    return `${count} requests, the slowest ${slowest} ms`;
  });
  const table = memory.table();
  await checks.check('helm uninstall', async () => {
    await release.helm('uninstall', ...WAIT);
    expectOk(await release.inside('wait', '--for=delete', 'pods', '--all', '--timeout=120s'));
  });
  console.log(`\n${table}`);
}

/** Exports the chart of a commit; answers its folder. */
function chartOf(commit, folder) {
  mkdirSync(folder);
  exportTree(commit, folder, 'helm');
  return join(folder, 'helm/adit');
}

async function gatewayOf({ inside }) {
  const service = JSON.parse(expectOk(await inside('get', 'service', `${RELEASE}-gateway`, '--output', 'json'))).spec;
  return `http://${service.clusterIP}:${service.ports[0].port}`;
}

async function proveInstall({ checks, node }, { pods, helm }, chartArgs) {
  await checks.check('helm install --wait', async () => {
    await helm('install', ...chartArgs, ...WAIT);
    const slowest = (await pods()).map(startOf).sort((a, b) => b.seconds - a.seconds);
    return `${slowest.length} pods, the slowest ready after ${slowest[0].seconds} s (${slowest[0].component})`;
  });
  await checks.check('adit doctor in a decoder finds everything well, and the memory of its pod', async () => {
    const [pod] = await pods('--selector', 'app.kubernetes.io/component=decoder');
    const said = await node.execIn(pod.metadata.name, ['adit', 'doctor']);
    Checks.expect(said.code === 0, `${said.stdout}\n${said.stderr}`);
    const line = said.stdout.split('\n').find((each) => each.includes('memory:'));
    Checks.expect(/ of 4\.0 GiB/.test(line), `${line}, where the limit is 4 GiB.`);
    return line.trim();
  });
  await checks.check('helm test: a clip is uploaded, mined and its segments are compared', async () => {
    await helm('test', '--timeout', '600s');
  });
}

/** Upgrades the release and deletes pods while jobs and requests run; answers the requests. */
async function proveWhileMining({ checks }, release, { mining, url, jobs, requests, from, upgrade }) {
  const stopMining = mining.keepMining(jobs);
  const asking = keepAsking(`${url}/api/v1/jobs/?limit=1`, { authorization: `Key ${KEY}` });
  try {
    await proveReplacements(checks, release, from, upgrade);
    await asking.reach(requests);
  } finally {
    await stopMining();
    await asking.stop();
  }
  return asking;
}

async function proveReplacements(checks, { inside, pods, expectDone, helm }, from, upgrade) {
  const settled = async () => {
    for (const component of Object.keys(REPLICAS)) {
      await expectDone(await inside('rollout', 'status', `deployment/${RELEASE}-${component}`, '--timeout', '600s'));
    }
  };
  const to = from === undefined ? 'an image of another name' : `this build, from ${from.slice(0, 10)},`;
  await checks.check(`helm upgrade to ${to} while jobs run`, async () => {
    await helm('upgrade', ...upgrade, ...WAIT, '--set', 'image.tag=two');
    // Helm does not wait for the pods that are replaced.
    await settled();
  });
  await checks.check('kubectl delete of a pod of each service while jobs run', async () => {
    for (const component of Object.keys(REPLICAS)) {
      const [pod] = await pods('--selector', `app.kubernetes.io/component=${component}`);
      expectOk(await inside('delete', 'pod', pod.metadata.name));
    }
    await settled();
  });
}

/** Mines jobs and keeps their ends, and the results of those that were undisturbed. */
class Mining {
  ended = [];
  /** Results of each kind by its name, one for each build that mined alone. */
  undisturbed = new Map();
  #miners = [];

  constructor(client, kinds, callback) {
    this.client = client;
    this.kinds = kinds;
    this.webhook = { callback, events: ['job.on_started', 'job.on_completed', 'job.on_failed'] };
  }

  async mineAlone(build, database) {
    await disableObservationCache(database);
    for (const done of await Promise.all(this.kinds.map((kind) => this.#mine(kind, `alone-${build}-${kind.name}`)))) {
      this.ended.push(done);
      const { name } = done.kind;
      this.undisturbed.set(name, [...(this.undisturbed.get(name) ?? []), await this.client.results(done.id)]);
    }
    return [...this.undisturbed].map(([name, each]) => `${name} ${each.at(-1).count} segments`).join(', ');
  }

  /** Mines jobs without a pause, at least `jobs`; answers a function that stops it and waits for the last ones. */
  keepMining(jobs) {
    let over = false;
    let number = 0;
    this.#miners = Array.from({ length: FLIGHT }, async () => {
      while (!over || number < jobs) {
        const kind = this.kinds[number % this.kinds.length];
        this.ended.push(await this.#mine(kind, `during-${number++}`));
      }
    });
    return async () => {
      over = true;
      await Promise.allSettled(this.#miners);
    };
  }

  /** Rejects with the error of a job that could not be mined. */
  async finished() {
    await Promise.all(this.#miners);
  }

  async #mine(kind, key) {
    const { id } = await this.client.submit({ ...kind.order, webhook: this.webhook }, key);
    return { kind, id, job: await this.client.ended(id, Date.now() + 10 * 60_000) };
  }
}

async function jobsOk(mining, receiver, database, from) {
  const { client, ended, undisturbed } = mining;
  await mining.finished();
  await awaitWebhooks(receiver, ended);
  const report = await tally(client, receiver, ended, undisturbed);
  // Jobs of two builds with different results may be mixed; jobs of one build may not.
  const faulty = ['lost', 'wrong', 'doubled', 'unnotified', ...(from === undefined ? ['mixed'] : [])];
  const faults = faulty.flatMap((name) => report[name].map((what) => `${name}: ${what}`));
  faults.push(...client.violations);
  const left = await messagesLeft(database);
  if (left > 0) faults.push(`${left} messages were left in the outbox`);
  Checks.expect(faults.length === 0, faults.join('\n'));
  return `${report.jobs} jobs (${Object.entries(report.states)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ')}${report.mixed.length > 0 ? `, ${report.mixed.length} of both builds` : ''})`;
}

function valuesFor({ kafka, minio, postgres }, chart) {
  // A chart refuses services that it does not know, and an older one knows fewer.
  const services = readFileSync(join(chart, 'files/services.yaml'), 'utf8');
  const host = `${ADDRESS}/32`;
  const requests = { cpu: '20m', memory: '64Mi', 'ephemeral-storage': '16Mi' };
  return {
    image: { repository: 'localhost/adit', tag: 'one', pullPolicy: 'Never' },
    kafka: { brokers: [kafka.brokers], replicationFactor: 1, partitions: 4 },
    database: { existingSecret: 'database', port: Number(new URL(postgres.url).port) },
    objects: { endpoint: minio.endpoint, existingSecret: 'objects' },
    api: { existingSecret: 'api' },
    sources: { allowHttp: true, allowPrivateAddresses: [host] },
    webhooks: { allowHttp: true, allowAddresses: [host] },
    // With one row and one thread per run, results are repeatable to the byte.
    settings: { ADIT_INFERENCE_THREADS: '1', ADIT_INFERENCE_WORKERS: '1', ADIT_MAX_ATTEMPTS: '20' },
    // Long, so that a busy machine does not fail the start.
    defaults: { startupSeconds: 900 },
    services: Object.fromEntries(
      Object.entries(REPLICAS)
        .filter(([name]) => services.includes(`\n${name}:`))
        .map(([name, replicas]) => [name, { replicas, resources: { requests } }]),
    ),
    test: { resources: { requests } },
  };
}

/** Seconds from a pod's start until it was ready. */
function startOf({ metadata, status }) {
  const ready = status.conditions.find(({ type }) => type === 'Ready');
  const seconds = (Date.parse(ready?.lastTransitionTime) - Date.parse(status.startTime)) / 1000;
  return { component: metadata.labels['app.kubernetes.io/component'], seconds };
}

/** Serves the media of the chaos run over HTTP to pods. */
async function mediaOver(folder) {
  const { kinds } = await chaosMedia(folder);
  const files = [...new Set(kinds.flatMap(({ order }) => order.sources))];
  const server = createServer((request, response) => {
    const file = files[Number(request.url.split('/')[1])];
    if (file === undefined) return response.writeHead(404).end();
    response.writeHead(200, { 'content-length': statSync(file).size });
    return request.method === 'HEAD' ? response.end() : createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, ADDRESS, resolve));
  const urlOf = (path) => `http://${ADDRESS}:${server.address().port}/${files.indexOf(path)}/${basename(path)}`;
  return {
    kinds: kinds
      .filter(({ name }) => KINDS.includes(name))
      .map((kind) => ({ ...kind, order: { ...kind.order, sources: kind.order.sources.map(urlOf) } })),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
