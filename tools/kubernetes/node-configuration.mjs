// Configuration files of a node: containerd, its pod network, kubelet and kube-proxy.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Folder of the CNI plug-ins. */
export const CNI = '/usr/lib/cni';
/** The node's address, on an interface that leads nowhere: only pods reach it. */
export const ADDRESS = '10.243.0.1';
export const NODE = 'node-1';
export const PAUSE = 'localhost/adit-pause:1';
const PODS = '10.244.0.0/24';

/** Writes all of them into `folder`. */
export function writeConfiguration(folder, socket, plane) {
  const logs = join(folder, 'logs');
  const network = join(folder, 'cni');
  for (const each of [logs, network]) mkdirSync(each, { recursive: true });
  const write = (path, content) => writeFileSync(path, JSON.stringify(content));
  writeFileSync(join(folder, 'containerd.toml'), containerdConfiguration(folder, socket, network));
  write(join(network, '10-pods.conflist'), networkConfiguration(basename(plane.folder), join(folder, 'ipam')));
  write(join(folder, 'kubelet.json'), kubeletConfiguration(socket, logs));
  write(join(folder, 'proxy.json'), proxyConfiguration(plane.kubeconfigOf('kube-proxy')));
}

function containerdConfiguration(folder, socket, network) {
  const plugin = 'plugins."io.containerd.grpc.v1.cri"';
  return `version = 2
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
`;
}

/** A network without a bridge: pods answer each other through the node, which translates the addresses of services back. */
function networkConfiguration(name, dataDir) {
  const ipam = {
    type: 'host-local',
    ranges: [[{ subnet: PODS }]],
    routes: [{ dst: '0.0.0.0/0' }],
    dataDir,
  };
  return { cniVersion: '1.0.0', name, plugins: [{ type: 'ptp', ipMasq: false, ipam }] };
}

function kubeletConfiguration(socket, logs) {
  return {
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
    // Other files on this disk must not make the kubelet evict pods.
    evictionHard: { 'imagefs.available': '0%', 'nodefs.available': '0%', 'memory.available': '50Mi' },
    imageGCHighThresholdPercent: 100,
    clusterDNS: [ADDRESS],
    clusterDomain: 'cluster.local',
    resolvConf: '',
    makeIPTablesUtilChains: false,
    maxPods: 60,
    syncFrequency: '10s',
  };
}

function proxyConfiguration(kubeconfig) {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clientConnection: { kubeconfig: kubeconfig },
    mode: 'nftables',
    clusterCIDR: PODS,
    hostnameOverride: NODE,
    bindAddress: ADDRESS,
    healthzBindAddress: '',
    metricsBindAddress: `${ADDRESS}:16249`,
    // The machine's own limits stay as they are.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  };
}
