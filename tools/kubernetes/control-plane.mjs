// A real Kubernetes control plane on loopback: etcd, API server and, where pods are to be scheduled, the controller
// manager, the scheduler and nodes that are played.
import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../servers/ports.mjs';
import { Guard, ServerProcess } from '../servers/server-process.mjs';
import { playNodes } from './fake-nodes.mjs';
import { program } from './programs.mjs';
import { schemaFolder } from './schemas.mjs';

/** Custom resources that a chart of ours may hold; all that there are would take the API server a while. */
const CUSTOM = [
  ...['scaledobjects.keda.sh', 'triggerauthentications.keda.sh'],
  ...['podmonitors', 'prometheusrules', 'servicemonitors'].map((name) => `${name}.monitoring.coreos.com`),
  ...['gateways', 'httproutes'].map((name) => `${name}.gateway.networking.k8s.io`),
];

/** Who may sign in by token: name in the kubeconfig, user and groups. */
const USERS = {
  admin: ['admin', 'system:masters'],
  'controller-manager': ['system:kube-controller-manager', ''],
  scheduler: ['system:kube-scheduler', ''],
};

/**
 * @typedef {object} ControlPlane
 * @property {string} kubeconfig
 * @property {string} folder Of the logs and data, which go with `stop`.
 * @property {(...args: string[]) => Promise<Said>} kubectl
 * @property {(input: string, ...args: string[]) => Promise<Said>} kubectlWith With something to read.
 * @property {(...args: string[]) => Promise<Said>} helm
 * @property {(documents: object[], ...args: string[]) => Promise<Said>} apply
 * @property {() => Promise<void>} stop Ends all that were started and removes their data.
 *
 * @typedef {object} Said
 * @property {number} code The exit code.
 * @property {string} stdout
 * @property {string} stderr
 */

/**
 * Starts it, in some seconds. It ends with this process, however that ends. KEDA's, the Prometheus operator's and
 * the Gateway API's resources can be made; what acts on them is not there.
 *
 * @param {{ nodes?: { name: string, gpus?: number, zone?: string }[], pods?: string, extra?: Record<string, string[]>, users?: Record<string, string[]>, step?: import('../setup/step.mjs').Step }} [options]
 *   `nodes`: fake ones. Without any, nothing is scheduled, and only etcd and the API server run, which is all that a
 *   dry run needs. `extra`: further arguments by program, `users`: further users.
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

  const folder = mkdtempSync(join(tmpdir(), 'adit-kubernetes-'));
  const guard = new Guard();
  guard.tell({ folder });
  const running = [];
  let played;
  const [client, peer, api, manager, scheduler] = await freePorts(5);
  const authority = join(folder, 'pki/apiserver.crt');
  const server = `https://127.0.0.1:${api}`;
  const etcd = `http://127.0.0.1:${client}`;
  const tokens = Object.fromEntries(Object.keys({ ...USERS, ...users }).map((name) => [name, randomUUID()]));
  const env = { PATH: process.env.PATH, HOME: folder };

  async function start(name, args, ready) {
    const log = join(folder, `${name}.log`);
    const run = new ServerProcess({
      name,
      command: programs[name],
      args: [...args, ...(extra[name] ?? [])],
      env,
      folder,
      log,
      guard,
      ready,
    });
    // The ones started last end first.
    running.unshift(run);
    await run.start();
  }

  function kubeconfig(user) {
    const file = join(folder, `${user}.conf`);
    const cluster = { server, 'certificate-authority': authority };
    const context = { cluster: 'adit', user };
    const text = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'adit', cluster }],
      users: [{ name: user, user: { token: tokens[user] } }],
      contexts: [{ name: 'adit', context }],
      'current-context': 'adit',
    };
    writeFileSync(file, JSON.stringify(text), { mode: 0o600 });
    return file;
  }

  const admin = kubeconfig('admin');
  /** Helm keeps nothing of the person's, and finds nothing of theirs. */
  const theirs = {
    ...env,
    KUBECONFIG: admin,
    HELM_CACHE_HOME: join(folder, 'helm'),
    HELM_CONFIG_HOME: join(folder, 'helm'),
    HELM_DATA_HOME: join(folder, 'helm'),
  };
  const run = (name, args, input) => say(programs[name], args, theirs, input);
  const kubectl = (...args) => run('kubectl', args);
  const kubectlWith = (input, ...args) => run('kubectl', args, input);
  const helm = (...args) => run('helm', args);
  const apply = (documents, ...args) =>
    kubectlWith(
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: documents }),
      'apply',
      '--filename',
      '-',
      ...args,
    );
  const answers = async (path) => (await kubectl('get', '--raw', path)).code === 0;

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
    await start(
      'etcd',
      [
        ...[`--data-dir=${join(folder, 'etcd')}`, `--listen-client-urls=${etcd}`, `--advertise-client-urls=${etcd}`],
        ...[`--listen-peer-urls=http://127.0.0.1:${peer}`, `--initial-advertise-peer-urls=http://127.0.0.1:${peer}`],
        ...[`--initial-cluster=default=http://127.0.0.1:${peer}`, '--unsafe-no-fsync'],
      ],
      () => healthy(`${etcd}/health`),
    );
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = join(folder, 'service-accounts.key');
    const pub = join(folder, 'service-accounts.pub');
    writeFileSync(key, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
    writeFileSync(pub, publicKey.export({ type: 'spki', format: 'pem' }));
    const tokenFile = join(folder, 'tokens.csv');
    const lines = Object.entries({ ...USERS, ...users }).map(
      ([name, [user, groups]]) => `${tokens[name]},${user},${user},"${groups}"`,
    );
    writeFileSync(tokenFile, `${lines.join('\n')}\n`, { mode: 0o600 });
    await start(
      'kube-apiserver',
      [
        ...[
          `--etcd-servers=${etcd}`,
          `--secure-port=${api}`,
          '--bind-address=127.0.0.1',
          '--advertise-address=127.0.0.1',
        ],
        // It makes itself a certificate there.
        ...[`--cert-dir=${join(folder, 'pki')}`, `--token-auth-file=${tokenFile}`, '--authorization-mode=Node,RBAC'],
        ...[`--service-account-key-file=${pub}`, `--service-account-signing-key-file=${key}`],
        ...['--service-account-issuer=https://kubernetes.default.svc', '--service-cluster-ip-range=10.96.0.0/16'],
        ...['--allow-privileged', '--endpoint-reconciler-type=none', '--kubelet-preferred-address-types=InternalIP'],
      ],
      () => answers('/readyz'),
    );
    if (scheduling) {
      const common = (user) => [
        ...[`--kubeconfig=${kubeconfig(user)}`, '--bind-address=127.0.0.1', '--leader-elect=false'],
        ...[`--authentication-kubeconfig=${kubeconfig(user)}`, `--authorization-kubeconfig=${kubeconfig(user)}`],
      ];
      await Promise.all([
        start(
          'kube-controller-manager',
          [
            ...[...common('controller-manager'), `--secure-port=${manager}`, '--use-service-account-credentials'],
            ...[`--service-account-private-key-file=${key}`, `--root-ca-file=${authority}`],
          ],
          (text) => text.includes('Serving securely'),
        ),
        start('kube-scheduler', [...common('scheduler'), `--secure-port=${scheduler}`], (text) =>
          text.includes('Serving securely'),
        ),
      ]);
    }
    const documents = CUSTOM.map((name) => JSON.parse(readFileSync(join(definitions, `${name}.json`), 'utf8')));
    // Some are too long for the annotation of a client's apply.
    expectOk(await apply(documents, '--server-side'));
    expectOk(
      await kubectl(
        'wait',
        '--for=condition=Established',
        '--timeout=60s',
        ...documents.map((each) => `crd/${each.metadata.name}`),
      ),
    );
    if (nodes.length > 0) {
      played = await playNodes({ server, ca: authority, token: tokens.admin }, nodes);
      expectOk(await kubectl('wait', '--for=condition=Ready', 'node', '--all', '--timeout=60s'));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  mkdirSync(theirs.HELM_CACHE_HOME, { recursive: true });
  return {
    kubeconfig: admin,
    kubeconfigOf: kubeconfig,
    folder,
    server,
    programs,
    guard,
    kubectl,
    kubectlWith,
    helm,
    apply,
    stop,
  };
}

/** What a program said and how it ended, which is for the caller to judge. @returns {Promise<Said>} */
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

async function healthy(url) {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}
