// A real Kubernetes control plane on loopback: etcd and API server; to schedule pods, also the controller manager, the
// scheduler and fake nodes.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { playNodes } from './fake-nodes.mjs';
import { makeSite, startApiServer, startEtcd, startScheduling, writeKubeconfig } from './plane-programs.mjs';
import { program } from './programs.mjs';
import { schemaFolder } from './schemas.mjs';

/** Custom resources that our chart may contain; loading all would take the API server a while. */
const CUSTOM = [
  ...['scaledobjects.keda.sh', 'triggerauthentications.keda.sh'],
  ...['podmonitors', 'prometheusrules', 'servicemonitors'].map((name) => `${name}.monitoring.coreos.com`),
  ...['gateways', 'httproutes'].map((name) => `${name}.gateway.networking.k8s.io`),
];

/**
 * @typedef {object} ControlPlane
 * @property {string} kubeconfig
 * @property {string} folder Logs and data; `stop` removes it.
 * @property {(...args: string[]) => Promise<Said>} kubectl
 * @property {(input: string, ...args: string[]) => Promise<Said>} kubectlWith The first argument is its standard input.
 * @property {(...args: string[]) => Promise<Said>} helm
 * @property {(documents: object[], ...args: string[]) => Promise<Said>} apply
 * @property {() => Promise<void>} stop Ends all programs and removes their data.
 *
 * @typedef {object} Said
 * @property {number} code The exit code.
 * @property {string} stdout
 * @property {string} stderr
 */

/**
 * Starts a control plane within seconds. It ends with this process, however that ends. The resources of KEDA, the Prometheus
 * operator and the Gateway API can be created; their controllers do not run.
 *
 * @param {{ nodes?: { name: string, gpus?: number, zone?: string }[], pods?: string, extra?: Record<string, string[]>, users?: Record<string, string[]>, step?: import('../setup/step.mjs').Step }} [options]
 *   `nodes`: fake nodes. Without any, only etcd and the API server run, which is enough for a dry run. `extra`: further arguments by program, `users`: further users.
 * @returns {Promise<ControlPlane>}
 */
export async function startControlPlane({
  nodes = [],
  scheduling = nodes.length > 0,
  extra = {},
  users = {},
  step,
} = {}) {
  const names = ['etcd', 'kube-apiserver', 'kubectl', 'helm'];
  if (scheduling) names.push('kube-controller-manager', 'kube-scheduler');
  const programs = {};
  for (const name of names) programs[name] = await program(name, step);
  const definitions = join(await schemaFolder(step), 'definitions');

  const site = await makeSite({ programs, extra, users });
  const { folder, guard, server, running } = site;
  const kubeconfig = writeKubeconfig(site, 'admin');
  const clients = clientsOf(site, kubeconfig);
  const { kubectl } = clients;
  let played;
  async function stop() {
    try {
      await played?.stop();
    } finally {
      for (const each of running) await each.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
      guard.dismiss();
    }
  }

  try {
    await startEtcd(site);
    const key = await startApiServer(site, async () => (await kubectl('get', '--raw', '/readyz')).code === 0);
    if (scheduling) await startScheduling(site, key);
    await createDefinitions(clients, definitions);
    if (nodes.length > 0) {
      played = await playNodes({ server, ca: site.authority, token: site.tokens.admin }, nodes);
      expectOk(await kubectl('wait', '--for=condition=Ready', 'node', '--all', '--timeout=60s'));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  mkdirSync(helmFolder(folder), { recursive: true });
  const kubeconfigOf = (user) => writeKubeconfig(site, user);
  return { kubeconfig, kubeconfigOf, folder, server, programs, guard, ...clients, stop };
}

const helmFolder = (folder) => join(folder, 'helm');

/** kubectl and helm as the administrator. Helm neither reads nor writes the files of the person who runs this. */
function clientsOf({ programs, env: base, folder }, kubeconfig) {
  const helm = helmFolder(folder);
  const env = { ...base, KUBECONFIG: kubeconfig, HELM_CACHE_HOME: helm, HELM_CONFIG_HOME: helm, HELM_DATA_HOME: helm };
  const run = (name, args, input) => say(programs[name], args, env, input);
  const kubectlWith = (input, ...args) => run('kubectl', args, input);
  return {
    kubectl: (...args) => run('kubectl', args),
    kubectlWith,
    helm: (...args) => run('helm', args),
    apply: (documents, ...args) =>
      kubectlWith(
        JSON.stringify({ apiVersion: 'v1', kind: 'List', items: documents }),
        'apply',
        '--filename',
        '-',
        ...args,
      ),
  };
}

async function createDefinitions({ kubectl, apply }, folder) {
  const documents = CUSTOM.map((name) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')));
  // Server-side: some are too long for the annotation of a client-side apply.
  expectOk(await apply(documents, '--server-side'));
  expectOk(
    await kubectl(
      'wait',
      '--for=condition=Established',
      '--timeout=60s',
      ...documents.map((each) => `crd/${each.metadata.name}`),
    ),
  );
}

/** Runs a program; answers its output and exit code, which the caller judges. @returns {Promise<Said>} */
export function say(command, args, env = process.env, input = '') {
  return new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      { env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : (error.code ?? 1), stdout, stderr }),
    );
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

/** @param {Said} said */
export function expectOk(said) {
  if (said.code !== 0) throw new Error(said.stderr.trim() || said.stdout.trim() || `exit code ${said.code}`);
  return said.stdout;
}
