// Nodes that only the API server knows: what their kubelets would say is said here. Pods become ready after a while, those
// of jobs and hooks end well, and those that are deleted go.
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

/** Long enough for an eviction to find a budget that is used up. */
const READY_AFTER_MS = 1_500;
const POLL_MS = 200;
/** Half of what the controller manager waits for at the most is plenty. */
const HEARTBEAT_MS = 10_000;

/**
 * @param {{ server: string, ca: string, token: string }} api Address, file with the authority and token of an administrator.
 * @param {{ name: string, gpus?: number, zone?: string }[]} nodes
 */
export async function playNodes(api, nodes) {
  const say = apiClient(api);
  const names = new Set(nodes.map(({ name }) => name));
  const seen = new Map();
  let addresses = 0;
  let playing = true;
  let fault;

  async function heartbeat({ name }) {
    const now = new Date().toISOString();
    const ready = { type: 'Ready', status: 'True', reason: 'Played', lastHeartbeatTime: now, lastTransitionTime: now };
    await say('PATCH', `/api/v1/nodes/${name}/status`, { status: { conditions: [ready] } });
  }

  async function step(pod) {
    const { name, namespace, uid, deletionTimestamp } = pod.metadata;
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    if (!seen.has(uid)) seen.set(uid, { at: Date.now(), address: ++addresses });
    const { at, address } = seen.get(uid);
    if (deletionTimestamp !== undefined) await say('DELETE', `${path}?gracePeriodSeconds=0`);
    else if (pod.status.phase === 'Running' && endsByItself(pod))
      await say('PATCH', `${path}/status`, { status: ended(pod) });
    else if (pod.status.phase === 'Pending' && (endsByItself(pod) || Date.now() - at > READY_AFTER_MS)) {
      await say('PATCH', `${path}/status`, { status: running(pod, `10.244.${address >> 8}.${address & 255}`) });
    }
  }

  for (const node of nodes) {
    await say('POST', '/api/v1/nodes', nodeOf(node));
    await heartbeat(node);
  }
  const loops = [
    (async () => {
      while (playing) {
        await Promise.all(nodes.map(heartbeat)).catch((error) => (fault = error));
        for (let waited = 0; playing && waited < HEARTBEAT_MS; waited += POLL_MS) await sleep(POLL_MS);
      }
    })(),
    (async () => {
      while (playing) {
        try {
          const { items } = await say('GET', '/api/v1/pods');
          await Promise.all(items.filter(({ spec }) => names.has(spec.nodeName)).map(step));
        } catch (error) {
          // Somebody else has changed the pod, or it is gone: the next look tells.
          if (![404, 409].includes(error.status)) fault = error;
        }
        await sleep(POLL_MS);
      }
    })(),
  ];
  return {
    async stop() {
      playing = false;
      await Promise.all(loops);
      if (fault !== undefined) throw fault;
    },
  };
}

/** One with GPUs is tainted and labelled, as NVIDIA's operator does. */
function nodeOf({ name, gpus = 0, zone = 'zone-1' }) {
  const room = { cpu: '32', memory: '128Gi', pods: '110', 'ephemeral-storage': '500Gi' };
  const resources = gpus > 0 ? { ...room, 'nvidia.com/gpu': String(gpus) } : room;
  const labels = {
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'topology.kubernetes.io/zone': zone,
    ...(gpus > 0 ? { 'nvidia.com/gpu.present': 'true' } : {}),
  };
  const taints = gpus > 0 ? [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }] : [];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    spec: { taints },
    status: { capacity: resources, allocatable: resources },
  };
}

function endsByItself({ metadata, spec }) {
  const ofJob = metadata.ownerReferences?.some(({ kind }) => kind === 'Job') ?? false;
  return ofJob || (spec.restartPolicy === 'Never' && metadata.annotations?.['helm.sh/hook'] !== undefined);
}

function running({ spec, status }, address) {
  const now = new Date().toISOString();
  const condition = (type) => ({ type, status: 'True', lastTransitionTime: now });
  const stateOf =
    (state) =>
    ({ name, image }) => ({ name, image, imageID: '', ready: true, restartCount: 0, state });
  const done = { terminated: { exitCode: 0, reason: 'Completed', startedAt: now, finishedAt: now } };
  return {
    phase: 'Running',
    startTime: now,
    podIP: address,
    podIPs: [{ ip: address }],
    conditions: [
      ...(status.conditions ?? []).filter(({ type }) => type === 'PodScheduled'),
      ...['Initialized', 'ContainersReady', 'Ready'].map(condition),
    ],
    initContainerStatuses: spec.initContainers?.map(stateOf(done)),
    containerStatuses: spec.containers.map(stateOf({ running: { startedAt: now } })),
  };
}

function ended({ spec, status }) {
  const now = new Date().toISOString();
  const state = { terminated: { exitCode: 0, reason: 'Completed', startedAt: status.startTime, finishedAt: now } };
  return {
    phase: 'Succeeded',
    conditions: (status.conditions ?? []).map((each) =>
      ['Ready', 'ContainersReady'].includes(each.type) ? { ...each, status: 'False', reason: 'PodCompleted' } : each,
    ),
    containerStatuses: spec.containers.map(({ name, image }) => ({
      name,
      image,
      imageID: '',
      ready: false,
      restartCount: 0,
      state,
    })),
  };
}

/** Requests to the API server; an answer that is no success is thrown. */
function apiClient({ server, ca, token }) {
  const authority = readFileSync(ca);
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const kind = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const headers = { authorization: `Bearer ${token}`, 'content-type': kind, accept: 'application/json' };
      const sent = request(`${server}${path}`, { method, ca: authority, headers }, (response) => {
        const parts = [];
        response.on('data', (part) => parts.push(part));
        response.on('end', () => {
          const text = Buffer.concat(parts).toString();
          if (response.statusCode < 300) resolve(JSON.parse(text));
          else {
            const message = `${method} ${path}: ${response.statusCode} ${text}`;
            reject(Object.assign(new Error(message), { status: response.statusCode }));
          }
        });
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
}
