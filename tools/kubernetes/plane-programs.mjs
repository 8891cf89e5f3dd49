// The programs of a control plane: etcd, API server, controller manager and scheduler.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../servers/ports.mjs';
import { Guard, ServerProcess } from '../servers/server-process.mjs';

/** Users who sign in by token: name in the kubeconfig, user and groups. */
const USERS = {
  admin: ['admin', 'system:masters'],
  'controller-manager': ['system:kube-controller-manager', ''],
  scheduler: ['system:kube-scheduler', ''],
};

/**
 * Makes the folder, ports, addresses and tokens that the programs share. `running` lists the started programs, the newest first.
 *
 * @param {{ programs: Record<string, string>, extra: Record<string, string[]>, users: Record<string, string[]> }} options
 */
export async function makeSite({ programs, extra, users: others }) {
  const folder = mkdtempSync(join(tmpdir(), 'adit-kubernetes-'));
  const guard = new Guard();
  guard.notify({ folder });
  const [client, peer, api, manager, scheduler] = await freePorts(5);
  const users = { ...USERS, ...others };
  return {
    ...{ folder, guard, programs, extra, users, running: [] },
    ports: { client, peer, api, manager, scheduler },
    authority: join(folder, 'pki/apiserver.crt'),
    server: `https://127.0.0.1:${api}`,
    etcd: `http://127.0.0.1:${client}`,
    tokens: Object.fromEntries(Object.keys(users).map((name) => [name, randomUUID()])),
    env: { PATH: process.env.PATH, HOME: folder },
  };
}

/** Writes the kubeconfig of a user; answers its path. */
export function writeKubeconfig({ folder, server, authority, tokens }, user) {
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

export async function startEtcd(site) {
  const { folder, etcd, ports } = site;
  const peer = `http://127.0.0.1:${ports.peer}`;
  await start(
    site,
    'etcd',
    [
      ...[`--data-dir=${join(folder, 'etcd')}`, `--listen-client-urls=${etcd}`, `--advertise-client-urls=${etcd}`],
      ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`],
      ...[`--initial-cluster=default=${peer}`, '--unsafe-no-fsync'],
    ],
    () => healthy(`${etcd}/health`),
  );
}

/** Starts the API server; answers the file of the key that signs service accounts. */
export async function startApiServer(site, ready) {
  const { folder, etcd, ports } = site;
  const { key, pub } = writeKeys(folder);
  const tokenFile = writeTokens(site);
  await start(
    site,
    'kube-apiserver',
    [
      ...[`--etcd-servers=${etcd}`, `--secure-port=${ports.api}`],
      ...['--bind-address=127.0.0.1', '--advertise-address=127.0.0.1'],
      // The API server makes its own certificate there.
      ...[`--cert-dir=${join(folder, 'pki')}`, `--token-auth-file=${tokenFile}`, '--authorization-mode=Node,RBAC'],
      ...[`--service-account-key-file=${pub}`, `--service-account-signing-key-file=${key}`],
      ...['--service-account-issuer=https://kubernetes.default.svc', '--service-cluster-ip-range=10.96.0.0/16'],
      ...['--allow-privileged', '--endpoint-reconciler-type=none', '--kubelet-preferred-address-types=InternalIP'],
    ],
    ready,
  );
  return key;
}

/** Starts the controller manager and the scheduler. */
export async function startScheduling(site, key) {
  const { ports, authority } = site;
  const common = (user) => [
    ...[`--kubeconfig=${writeKubeconfig(site, user)}`, '--bind-address=127.0.0.1', '--leader-elect=false'],
    ...[
      `--authentication-kubeconfig=${writeKubeconfig(site, user)}`,
      `--authorization-kubeconfig=${writeKubeconfig(site, user)}`,
    ],
  ];
  const serves = (text) => text.includes('Serving securely');
  await Promise.all([
    start(
      site,
      'kube-controller-manager',
      [
        ...[...common('controller-manager'), `--secure-port=${ports.manager}`, '--use-service-account-credentials'],
        ...[`--service-account-private-key-file=${key}`, `--root-ca-file=${authority}`],
      ],
      serves,
    ),
    start(site, 'kube-scheduler', [...common('scheduler'), `--secure-port=${ports.scheduler}`], serves),
  ]);
}

async function start({ programs, extra, env, folder, guard, running }, name, args, ready) {
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
  // Programs end in the reverse order of their start.
  running.unshift(run);
  await run.start();
}

function writeKeys(folder) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = join(folder, 'service-accounts.key');
  const pub = join(folder, 'service-accounts.pub');
  writeFileSync(key, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  writeFileSync(pub, publicKey.export({ type: 'spki', format: 'pem' }));
  return { key, pub };
}

function writeTokens({ folder, users, tokens }) {
  const file = join(folder, 'tokens.csv');
  const lines = Object.entries(users).map(([name, [user, groups]]) => `${tokens[name]},${user},${user},"${groups}"`);
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  return file;
}

async function healthy(url) {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}
