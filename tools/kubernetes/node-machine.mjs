// This machine as a node: containerd and a kubelet beside a control plane, with a network of its own and nothing left of
// it afterwards. Needs root.
import {
  readFileSync,
  readdirSync,
  readlinkSync,
  mkdirSync,
  rmdirSync,
  rmSync,
  writeFileSync,
  existsSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureFromDebian } from '../setup/debian.mjs';
import { SetupError } from '../setup/step.mjs';
import { ServerProcess } from '../servers/server-process.mjs';
import { expectOk, say } from './control-plane.mjs';
import { startDns } from './dns.mjs';

const PROGRAMS = {
  ...{ containerd: 'containerd', runc: 'runc', buildah: 'buildah', debootstrap: 'debootstrap', nft: 'nftables' },
  ip: 'iproute2',
};
const CNI = '/usr/lib/cni';
/** What CNI notes of each pod, under the name of its network. */
const NETWORKS = '/var/lib/cni/results';
/** The node's address, of an interface that leads nowhere: pods reach it, nobody else does. */
export const ADDRESS = '10.243.0.1';
const INTERFACE = 'adit-node';
const PODS = '10.244.0.0/24';
export const NODE = 'node-1';
export const PAUSE = 'localhost/adit-pause:1';
const CGROUPS = '/sys/fs/cgroup';

/** Debian's packages that a node needs. Throws a SetupError that says what is missing. */
export async function ensureNodePackages(step) {
  if (process.getuid?.() !== 0) {
    throw new SetupError(
      'This needs root: it mounts, makes network interfaces and control groups. Run it as root in a machine to spare.',
    );
  }
  await ensureFromDebian(step, 'Installing containerd and buildah from Debian', PROGRAMS, () =>
    existsSync(join(CNI, 'ptp')) ? [] : ['containernetworking-plugins'],
  );
}

/**
 * @typedef {object} NodeMachine
 * @property {(file: string) => Promise<void>} importImage Of an archive.
 * @property {(from: string, to: string) => Promise<void>} tagImage Another name for an image.
 * @property {(pod: string, args: string[]) => Promise<import('./control-plane.mjs').Said>} execIn Runs a program in a pod.
 * @property {(pod: string) => string} logsOf What the pod has written, or ''.
 * @property {() => Promise<void>} stop
 */

/**
 * Joins `plane`, which was started with the users of `nodeUsers`.
 *
 * @param {import('./control-plane.mjs').ControlPlane} plane
 * @param {{ kubelet: string, proxy: string }} programs
 * @returns {Promise<NodeMachine>}
 */
export async function startNode(plane, programs) {
  const folder = join(plane.folder, 'node');
  mkdirSync(folder);
  const socket = join(folder, 'containerd.sock');
  const running = [];
  let dns;

  async function start(name, command, args, ready) {
    const run = new ServerProcess({
      ...{
        name,
        command,
        args,
        folder,
        ready,
        guard: plane.guard,
        log: join(folder, `${name}.log`),
        readyWithinMs: 120_000,
      },
      env: { PATH: process.env.PATH, HOME: folder },
    });
    running.unshift(run);
    await run.start();
  }
  const ctr = (...args) => say('ctr', ['--address', socket, '--namespace', 'k8s.io', ...args]);

  async function stop() {
    // Its pods end with the kubelet's help; what does not is ended below.
    await plane.kubectl(
      'delete',
      'deployments,replicasets,statefulsets,jobs',
      '--all',
      '--all-namespaces',
      '--cascade=orphan',
    );
    await plane.kubectl('delete', 'pods', '--all', '--all-namespaces', '--grace-period=5', '--timeout=180s');
    for (const run of running) await run.stop();
    await dns?.close();
    await endThoseIn(folder);
    await removeNetworks(basename(plane.folder));
    for (const mount of mountsBelow(folder)) await say('umount', ['--lazy', mount]);
    for (const name of ['ip', 'ip6']) await say('nft', ['delete', 'table', name, 'kube-proxy']);
    await say('ip', ['link', 'delete', INTERFACE]);
    removeCgroups();
  }

  try {
    expectOk(await say('ip', ['link', 'add', INTERFACE, 'type', 'bridge']));
    expectOk(await say('ip', ['address', 'add', `${ADDRESS}/32`, 'dev', INTERFACE]));
    expectOk(await say('ip', ['link', 'set', INTERFACE, 'up']));
    writeConfiguration(folder, socket, plane);
    await start(
      'containerd',
      'containerd',
      ['--config', join(folder, 'containerd.toml')],
      async () => (await ctr('version')).code === 0,
    );
    dns = await startDns(ADDRESS, serviceFinder(plane));
    const kubelet = ['--config', join(folder, 'kubelet.json'), '--kubeconfig', plane.kubeconfigOf('kubelet')];
    await start(
      'kubelet',
      programs.kubelet,
      [
        ...[...kubelet, '--hostname-override', NODE, '--node-ip', ADDRESS],
        ...['--root-dir', join(folder, 'kubelet'), '--cert-dir', join(folder, 'pki')],
      ],
      async () => (await plane.kubectl('wait', '--for=condition=Ready', `node/${NODE}`, '--timeout=1s')).code === 0,
    );
    await start(
      'kube-proxy',
      programs.proxy,
      ['--config', join(folder, 'proxy.json')],
      async () => (await say('nft', ['list', 'table', 'ip', 'kube-proxy'])).code === 0,
    );
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    async importImage(file) {
      expectOk(await ctr('images', 'import', '--all-platforms', file));
    },
    async tagImage(from, to) {
      expectOk(await ctr('images', 'tag', from, to));
    },
    async execIn(pod, args) {
      const { uid } = JSON.parse(
        expectOk(await plane.kubectl('get', 'pod', pod, '--namespace', 'adit', '--output=json')),
      ).metadata;
      const tasks = expectOk(
        await ctr(
          'containers',
          'list',
          '--quiet',
          `labels."io.kubernetes.pod.uid"==${uid},labels."io.cri-containerd.kind"==container`,
        ),
      );
      const [container] = tasks.trim().split('\n');
      return await ctr('tasks', 'exec', '--exec-id', `check-${Date.now()}`, container, ...args);
    },
    logsOf: (pod) => logsOf(join(folder, 'logs'), pod),
    stop,
  };
}

/** Further users of a control plane that a node joins. */
export const nodeUsers = {
  kubelet: [`system:node:${NODE}`, 'system:nodes'],
  'kube-proxy': ['system:kube-proxy', ''],
};

function writeConfiguration(folder, socket, plane) {
  const logs = join(folder, 'logs');
  const network = join(folder, 'cni');
  for (const each of [logs, network]) mkdirSync(each, { recursive: true });
  const plugin = 'plugins."io.containerd.grpc.v1.cri"';
  writeFileSync(
    join(folder, 'containerd.toml'),
    `version = 2
root = "${folder}/containerd"
state = "${folder}/containerd-state"
[grpc]
  address = "${socket}"
[${plugin}]
  sandbox_image = "${PAUSE}"
  restrict_oom_score_adj = true
[${plugin}.containerd]
  snapshotter = "overlayfs"
  default_runtime_name = "runc"
[${plugin}.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[${plugin}.cni]
  bin_dir = "${CNI}"
  conf_dir = "${network}"
`,
  );
  // No bridge: pods answer each other through the node, which translates the addresses of services back.
  const ipam = {
    type: 'host-local',
    ranges: [[{ subnet: PODS }]],
    routes: [{ dst: '0.0.0.0/0' }],
    dataDir: join(folder, 'ipam'),
  };
  const list = { cniVersion: '1.0.0', name: basename(plane.folder), plugins: [{ type: 'ptp', ipMasq: false, ipam }] };
  writeFileSync(join(network, '10-pods.conflist'), JSON.stringify(list));
  const kubelet = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: `unix://${socket}`,
    cgroupDriver: 'cgroupfs',
    enforceNodeAllocatable: [],
    failSwapOn: false,
    failCgroupV1: false,
    oomScoreAdj: 0,
    address: ADDRESS,
    port: 16250,
    readOnlyPort: 0,
    healthzPort: 0,
    podLogsDir: logs,
    staticPodPath: '',
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true } },
    authorization: { mode: 'Webhook' },
    // Files of other work on this disk are not for a kubelet to judge.
    evictionHard: { 'imagefs.available': '0%', 'nodefs.available': '0%', 'memory.available': '50Mi' },
    imageGCHighThresholdPercent: 100,
    clusterDNS: [ADDRESS],
    clusterDomain: 'cluster.local',
    resolvConf: '',
    makeIPTablesUtilChains: false,
    maxPods: 60,
    syncFrequency: '10s',
  };
  writeFileSync(join(folder, 'kubelet.json'), JSON.stringify(kubelet));
  const proxy = {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clientConnection: { kubeconfig: plane.kubeconfigOf('kube-proxy') },
    mode: 'nftables',
    clusterCIDR: PODS,
    hostnameOverride: NODE,
    bindAddress: ADDRESS,
    healthzBindAddress: '',
    metricsBindAddress: `${ADDRESS}:16249`,
    // The machine's own are not touched.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  };
  writeFileSync(join(folder, 'proxy.json'), JSON.stringify(proxy));
}

function serviceFinder(plane) {
  const known = new Map();
  return async (service, namespace) => {
    const key = `${service}.${namespace}`;
    if (!known.has(key)) {
      const said = await plane.kubectl(
        'get',
        'service',
        service,
        '--namespace',
        namespace,
        '--ignore-not-found',
        '--output=json',
      );
      const found = expectOk(said);
      if (found === '') return null;
      known.set(key, JSON.parse(found).spec.clusterIP);
      setTimeout(() => known.delete(key), 5_000).unref();
    }
    return known.get(key);
  };
}

function logsOf(logs, pod) {
  const parts = [];
  for (const name of readdirSync(logs).filter((each) => each.split('_')[1] === pod)) {
    for (const container of readdirSync(join(logs, name))) {
      for (const file of readdirSync(join(logs, name, container)).sort()) {
        if (file.endsWith('.log')) parts.push(readFileSync(join(logs, name, container, file), 'utf8'));
      }
    }
  }
  // Each line begins with when and where it was written.
  return parts.join('').replace(/^\S+ std(?:out|err) [FP] /gm, '');
}

/** containerd leaves the keepers of containers alone; those of this run name its folder. */
async function endThoseIn(folder) {
  const those = () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .filter((pid) => {
        try {
          const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
          return command.includes(folder) && readlinkSync(`/proc/${pid}/exe`).includes('containerd-shim');
        } catch {
          return false;
        }
      });
  for (const pid of those()) {
    const children = childrenOf(pid);
    for (const each of [...children, pid]) kill(Number(each));
  }
  for (let tries = 0; those().length > 0 && tries < 50; tries += 1) await sleep(100);
}

/** Of pods that had no time to end: their namespaces, with which their interfaces go, and what CNI noted of them. */
async function removeNetworks(network) {
  if (!existsSync(NETWORKS)) return;
  for (const name of readdirSync(NETWORKS).filter((each) => each.startsWith(`${network}-`))) {
    const file = join(NETWORKS, name);
    const { containerId, result } = JSON.parse(readFileSync(file, 'utf8'));
    for (const { sandbox } of result.interfaces ?? []) {
      if (sandbox) await say('ip', ['netns', 'delete', basename(sandbox)]);
    }
    rmSync(file, { force: true });
    rmSync(join(NETWORKS, `cni-loopback-${containerId}-lo`), { force: true });
  }
}

function childrenOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  } catch {
    return [];
  }
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

function mountsBelow(folder) {
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  return mounts.filter((path) => path.startsWith(`${folder}/`)).reverse();
}

/** The kubelet makes them; empty ones are only folders. */
function removeCgroups() {
  const roots = existsSync(join(CGROUPS, 'kubepods'))
    ? [CGROUPS]
    : readdirSync(CGROUPS).map((name) => join(CGROUPS, name));
  const remove = (path) => {
    try {
      for (const entry of readdirSync(path, { withFileTypes: true })) {
        if (entry.isDirectory()) remove(join(path, entry.name));
      }
      rmdirSync(path);
    } catch {
      // Not there, or another's.
    }
  };
  for (const root of roots) remove(join(root, 'kubepods'));
}
