// `npm run chart -- cluster`: the chart on a real control plane with fake nodes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repositoryRoot } from '../setup/places.mjs';
import { Checks } from './checks.mjs';
import { expectOk, startControlPlane } from './control-plane.mjs';
import { everything, secretDocuments } from './values.mjs';

const NODES = [
  { name: 'cpu-1', zone: 'zone-1' },
  { name: 'cpu-2', zone: 'zone-2' },
  { name: 'cpu-3', zone: 'zone-3' },
  { name: 'gpu-1', zone: 'zone-1', gpus: 1 },
  { name: 'gpu-2', zone: 'zone-2', gpus: 1 },
];
const NAMESPACE = 'adit';
const RELEASE = 'adit';
/** Kinds of objects that the values enable. */
const KINDS = [
  ...['scaledobjects.keda.sh', 'horizontalpodautoscalers', 'poddisruptionbudgets', 'networkpolicies', 'ingresses'],
  ...['servicemonitors.monitoring.coreos.com', 'prometheusrules.monitoring.coreos.com'],
  ...['httproutes.gateway.networking.k8s.io', 'configmaps', 'services', 'serviceaccounts'],
];
const WAIT = ['--wait', '--timeout', '180s'];

/**
 * Tries the chart in `chart`; answers the checks.
 *
 * @param {{ chart?: string, log?: (line: string) => void, step?: import('../setup/step.mjs').Step }} options
 */
export async function proveOnCluster({
  chart = join(repositoryRoot, 'helm/adit'),
  values = everything,
  log,
  step,
} = {}) {
  const checks = new Checks(log);
  const scratch = mkdtempSync(join(tmpdir(), 'adit-chart-'));
  const file = join(scratch, 'values.yaml');
  writeFileSync(file, JSON.stringify(values));
  let plane;
  try {
    await checks.check('a control plane with three nodes and two with a GPU', async () => {
      plane = await startControlPlane({ nodes: NODES, step });
      step?.end();
      return JSON.parse(expectOk(await plane.kubectl('get', '--raw', '/version'))).gitVersion;
    });
    const release = releaseIn(plane);
    const chartArgs = [chart, '--namespace', NAMESPACE, '--values', file];
    await proveNamespace(checks, release);
    const before = new Set(await allObjects(plane));
    await proveInstall(checks, release, chartArgs);
    await provePlacement(checks, release);
    await proveRevisions(checks, release, chartArgs);
    await proveDisruptions(checks, release);
    await proveUninstall(checks, release, before);
  } catch (error) {
    // A failed check has written its error.
    if (checks.failed === 0) throw error;
  } finally {
    await plane?.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
  return checks;
}

/** Reads and changes the release through kubectl and helm. */
function releaseIn(plane) {
  const inside = (...args) => plane.kubectl('--namespace', NAMESPACE, ...args);
  const list = async (...args) => JSON.parse(expectOk(await inside('get', ...args, '--output', 'json'))).items;
  const deployments = async () => await list('deployments');
  return {
    ...{ plane, helm: plane.helm, inside, list, deployments },
    deployment: async (component) =>
      (await deployments()).find(({ metadata }) => metadata.name === `${RELEASE}-${component}`),
  };
}

/** Expects success without a warning of the API server, such as those of PodSecurity. */
function expectQuiet(said) {
  expectOk(said);
  const warnings = said.stderr.split('\n').filter((line) => /warning/i.test(line));
  Checks.expect(warnings.length === 0, warnings.join('\n'));
}

async function proveNamespace(checks, { plane, inside }) {
  await checks.check('a namespace under PodSecurity "restricted"', async () => {
    const labels = Object.fromEntries(
      ['enforce', 'warn', 'audit'].map((mode) => [`pod-security.kubernetes.io/${mode}`, 'restricted']),
    );
    expectOk(
      await plane.apply([
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels } },
        ...secretDocuments(NAMESPACE),
      ]),
    );
    // Kubernetes adds these to every new namespace after a moment; the list of objects that stay has to include them.
    for (const name of ['serviceaccount/default', 'configmap/kube-root-ca.crt']) {
      expectOk(await inside('wait', '--for=create', name, '--timeout=60s'));
    }
  });
}

async function proveInstall(checks, { helm, inside, list, deployments }, chartArgs) {
  await checks.check('helm install --wait', async () => {
    const said = await helm('install', RELEASE, ...chartArgs, ...WAIT);
    if (said.code !== 0) said.stderr += `\n${expectOk(await inside('get', 'pods', '--output', 'wide'))}`;
    expectQuiet(said);
    return `${(await list('pods')).length} pods are ready`;
  });
  await checks.check('the migration ran to its end before anything else started', async () => {
    const events = await list('events');
    const done = events.find(
      ({ reason, involvedObject: { kind, name } }) =>
        reason === 'Completed' && kind === 'Job' && name === `${RELEASE}-migrate`,
    );
    Checks.expect(done !== undefined, 'No event says that the Job adit-migrate was completed.');
    const at = Date.parse(done.lastTimestamp ?? done.eventTime);
    const early = (await deployments()).filter(({ metadata }) => Date.parse(metadata.creationTimestamp) < at);
    Checks.expect(early.length === 0, `Before it: ${early.map(({ metadata }) => metadata.name).join(', ')}`);
  });
}

async function provePlacement(checks, { list }) {
  await checks.check('GPU pods are on GPU nodes, all others are not', async () => {
    const pods = await list('pods');
    const asks = ({ spec }) =>
      spec.containers.some(({ resources }) => resources?.limits?.['nvidia.com/gpu'] !== undefined);
    const wrong = pods.filter((pod) => asks(pod) !== pod.spec.nodeName.startsWith('gpu-'));
    Checks.expect(
      wrong.length === 0,
      wrong.map(({ metadata, spec }) => `${metadata.name} is on ${spec.nodeName}`).join('\n'),
    );
    Checks.expect(pods.some(asks), 'No pod asks for a GPU.');
    return `${pods.filter(asks).length} of ${pods.length}`;
  });
  await checks.check('KEDA, HPA, disruption budgets, policies, routes and monitoring are accepted', async () => {
    const counts = [];
    for (const kind of KINDS) {
      const items = await list(kind, '--selector', `app.kubernetes.io/instance=${RELEASE}`);
      Checks.expect(items.length > 0, `There is none of ${kind}.`);
      counts.push(`${items.length} ${kind.split('.')[0]}`);
    }
    return counts.join(', ');
  });
}

/** Tries the test, an upgrade, an upgrade that fails, and a rollback. */
async function proveRevisions(checks, { helm, deployment }, chartArgs) {
  await checks.check('helm test', async () =>
    expectQuiet(await helm('test', RELEASE, '--namespace', NAMESPACE, '--timeout', '60s')),
  );
  await checks.check('helm upgrade --wait to three aggregators', async () => {
    expectQuiet(await helm('upgrade', RELEASE, ...chartArgs, ...WAIT, '--set', 'services.aggregator.replicas=3'));
    const { status } = await deployment('aggregator');
    Checks.expect(status.readyReplicas === 3, `${status.readyReplicas} are ready.`);
  });
  await checks.check('an upgrade that cannot become ready is rolled back', async () => {
    const never = ['--set', 'services.aggregator.replicas=4', '--set', 'services.aggregator.nodeSelector.none=such'];
    const said = await helm('upgrade', RELEASE, ...chartArgs, '--atomic', '--wait', '--timeout', '20s', ...never);
    Checks.expect(said.code !== 0, 'It went through.');
    const { spec, status } = await deployment('aggregator');
    Checks.expect(
      spec.replicas === 3 && status.readyReplicas === 3,
      `${status.readyReplicas} of ${spec.replicas} are ready.`,
    );
    Checks.expect(spec.template.spec.nodeSelector?.none === undefined, 'The node selector is still there.');
  });
  await checks.check('helm rollback to the first revision', async () => {
    expectQuiet(await helm('rollback', RELEASE, '1', '--namespace', NAMESPACE, ...WAIT));
    const { spec } = await deployment('aggregator');
    Checks.expect(spec.replicas === 2, `${spec.replicas} aggregators.`);
  });
}

async function proveDisruptions(checks, { plane, inside, list, deployments }) {
  await checks.check('a second eviction waits until the first pod is replaced', async () => {
    const pods = await list('pods', '--selector', 'app.kubernetes.io/component=gateway');
    const answers = [];
    for (const { metadata } of pods.slice(0, 2)) answers.push(await evict(plane, metadata.name));
    Checks.expect(
      answers[0].code === 0 && answers[1].code !== 0 && /disruption budget/i.test(answers[1].stderr),
      answers.map(({ code, stderr }) => `${code} ${stderr.trim()}`).join('\n'),
    );
    expectOk(await inside('rollout', 'status', `deployment/${RELEASE}-gateway`, '--timeout', '60s'));
  });
  await checks.check('a drain leaves every service all its pods but one', async () => {
    let lacking;
    let draining = true;
    const watch = (async () => {
      while (draining) {
        lacking ??= (await deployments()).find(
          ({ spec, status }) => spec.replicas > 1 && (status.availableReplicas ?? 0) < spec.replicas - 1,
        );
        await sleep(100);
      }
    })();
    const said = await plane.kubectl('drain', 'cpu-1', '--delete-emptydir-data', '--timeout', '120s');
    draining = false;
    await watch;
    expectOk(said);
    Checks.expect(
      lacking === undefined,
      `${lacking?.metadata.name} had ${lacking?.status.availableReplicas ?? 0} of ${lacking?.spec.replicas}`,
    );
    const left = (await list('pods')).filter(
      ({ spec, metadata }) => spec.nodeName === 'cpu-1' && !metadata.deletionTimestamp,
    );
    Checks.expect(left.length === 0, `Still there: ${left.map(({ metadata }) => metadata.name).join(', ')}`);
    expectOk(await plane.kubectl('uncordon', 'cpu-1'));
    return `${said.stdout.split('\n').filter((line) => line.includes('evicted')).length} pods`;
  });
}

async function proveUninstall(checks, { plane, helm }, before) {
  await checks.check('helm uninstall leaves nothing', async () => {
    expectQuiet(await helm('uninstall', RELEASE, '--namespace', NAMESPACE, ...WAIT));
    // The garbage collector removes dependent objects after a while.
    const deadline = Date.now() + 30_000;
    let left;
    do {
      left = (await allObjects(plane)).filter((name) => !before.has(name));
    } while (left.length > 0 && Date.now() < deadline);
    Checks.expect(left.length === 0, left.join('\n'));
  });
}

/** Names of all objects in the namespace, and of the release's cluster-wide ones. */
async function allObjects({ kubectl }) {
  const names = async (namespaced) => {
    const said = await kubectl('api-resources', '--verbs=list', `--namespaced=${namespaced}`, '--output=name');
    const passing = /^(events|leases|pods\.metrics)/;
    return expectOk(said)
      .trim()
      .split('\n')
      .filter((name) => !passing.test(name))
      .join(',');
  };
  const inside = await kubectl(
    'get',
    await names(true),
    '--namespace',
    NAMESPACE,
    '--output=name',
    '--ignore-not-found',
  );
  const cluster = await kubectl(
    ...['get', await names(false), '--selector', `app.kubernetes.io/instance=${RELEASE}`, '--output=name'],
  );
  return [inside, cluster].flatMap((said) => expectOk(said).split('\n').filter(Boolean));
}

async function evict({ kubectlWith }, name) {
  const path = `/api/v1/namespaces/${NAMESPACE}/pods/${name}/eviction`;
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: NAMESPACE } };
  return await kubectlWith(JSON.stringify(body), 'create', '--raw', path, '--filename', '-');
}
