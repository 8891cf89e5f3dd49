// This machine as a node: containerd and a kubelet beside a control plane, with their own network. Everything is removed
// afterwards. Needs root.
import { readFileSync, readdirSync, readlinkSync, mkdirSync, rmdirSync, rmSync, existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureFromDebian } from '../setup/debian.mjs';
import { SetupError } from '../setup/step.mjs';
import { ServerProcess } from '../servers/server-process.mjs';
import { expectOk, say } from './control-plane.mjs';
import { startDns } from './dns.mjs';
import { ADDRESS, CNI, NODE, writeConfiguration } from './node-configuration.mjs';

export { ADDRESS, NODE, PAUSE } from './node-configuration.mjs';

const PROGRAMS = {
  ...{ containerd: 'containerd', runc: 'runc', buildah: 'buildah', debootstrap: 'debootstrap', nft: 'nftables' },
  ip: 'iproute2',
};
/** Notes of CNI on each pod, under the name of its network. */
const NETWORKS = '/var/lib/cni/results';
const INTERFACE = 'adit-node';
const CGROUPS = '/sys/fs/cgroup';

/** Installs Debian's packages that a node needs. Throws a SetupError that says what is missing. */
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
 * @property {(file: string) => Promise<void>} importImage Imports the images of an archive.
 * @property {(from: string, to: string) => Promise<void>} tagImage Another name for an image.
 * @property {(pod: string, args: string[]) => Promise<import('./control-plane.mjs').Said>} execIn Runs a program in a pod.
 * @property {(pod: string) => string} logsOf The logs of a pod, or ''.
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
  const ctr = (...args) => say('ctr', ['--address', socket, '--namespace', 'k8s.io', ...args]);
  const machine = { plane, programs, folder, socket, ctr, running: [], dns: undefined };
  const stop = () => stopNode(machine);
  try {
    await addInterface();
    writeConfiguration(folder, socket, plane);
    await startPrograms(machine);
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
    execIn: (pod, args) => execIn(machine, pod, args),
    logsOf: (pod) => logsOf(join(folder, 'logs'), pod),
    stop,
  };
}

async function addInterface() {
  expectOk(await say('ip', ['link', 'add', INTERFACE, 'type', 'bridge']));
  expectOk(await say('ip', ['address', 'add', `${ADDRESS}/32`, 'dev', INTERFACE]));
  expectOk(await say('ip', ['link', 'set', INTERFACE, 'up']));
}

/** Starts containerd, DNS, the kubelet and kube-proxy, each when the one before it is ready. */
async function startPrograms(machine) {
  const { plane, programs, folder, ctr } = machine;
  await startProgram(
    machine,
    'containerd',
    'containerd',
    ['--config', join(folder, 'containerd.toml')],
    async () => (await ctr('version')).code === 0,
  );
  machine.dns = await startDns(ADDRESS, serviceFinder(plane));
  const kubelet = ['--config', join(folder, 'kubelet.json'), '--kubeconfig', plane.kubeconfigOf('kubelet')];
  await startProgram(
    machine,
    'kubelet',
    programs.kubelet,
    [
      ...[...kubelet, '--hostname-override', NODE, '--node-ip', ADDRESS],
      ...['--root-dir', join(folder, 'kubelet'), '--cert-dir', join(folder, 'pki')],
    ],
    async () => (await plane.kubectl('wait', '--for=condition=Ready', `node/${NODE}`, '--timeout=1s')).code === 0,
  );
  await startProgram(
    machine,
    'kube-proxy',
    programs.proxy,
    ['--config', join(folder, 'proxy.json')],
    async () => (await say('nft', ['list', 'table', 'ip', 'kube-proxy'])).code === 0,
  );
}

async function startProgram({ plane, folder, running }, name, command, args, ready) {
  const run = new ServerProcess({
    ...{ name, command, args, folder, ready },
    guard: plane.guard,
    log: join(folder, `${name}.log`),
    readyWithinMs: 120_000,
    env: { PATH: process.env.PATH, HOME: folder },
  });
  running.unshift(run);
  await run.start();
}

/** Removes everything that the node made on this machine. */
async function stopNode({ plane, folder, running, dns }) {
  // Pods end with the kubelet's help; the remaining ones are ended below.
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
  await endShims(folder);
  await removeNetworks(basename(plane.folder));
  for (const mount of mountsBelow(folder)) await say('umount', ['--lazy', mount]);
  for (const name of ['ip', 'ip6']) await say('nft', ['delete', 'table', name, 'kube-proxy']);
  await say('ip', ['link', 'delete', INTERFACE]);
  removeCgroups();
}

async function execIn({ plane, ctr }, pod, args) {
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
}

/** Further users of a control plane that a node joins. */
export const nodeUsers = {
  kubelet: [`system:node:${NODE}`, 'system:nodes'],
  'kube-proxy': ['system:kube-proxy', ''],
};

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
  // Each line begins with its time and stream.
  return parts.join('').replace(/^\S+ std(?:out|err) [FP] /gm, '');
}

/** Ends the shims of this run, which name its folder: containerd leaves them running. */
async function endShims(folder) {
  const shims = () =>
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
  for (const pid of shims()) {
    const children = childrenOf(pid);
    for (const each of [...children, pid]) kill(Number(each));
  }
  for (let tries = 0; shims().length > 0 && tries < 50; tries += 1) await sleep(100);
}

/** Removes network namespaces, with their interfaces, and the CNI notes of pods that did not end in time. */
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

/** Removes the control groups that the kubelet made; empty ones are only folders. */
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
      // Absent, or of another program.
    }
  };
  for (const root of roots) remove(join(root, 'kubepods'));
}
