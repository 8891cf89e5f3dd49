// `npm run chart -- cluster`: the chart on a real control plane with nodes that are played.
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
/** Kinds that these values ask for. */
const KINDS = [
  ...['scaledobjects.keda.sh', 'horizontalpodautoscalers', 'poddisruptionbudgets', 'networkpolicies', 'ingresses'],
  ...['servicemonitors.monitoring.coreos.com', 'prometheusrules.monitoring.coreos.com'],
  ...['httproutes.gateway.networking.k8s.io', 'configmaps', 'services', 'serviceaccounts'],
];
const WAIT = ['--wait', '--timeout', '180s'];

/**
 * Tries the chart in `chart`; answers the number of checks that failed.
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
    await proveRelease(checks, plane, [chart, '--namespace', NAMESPACE, '--values', file]);
  } catch (error) {
    // What failed a check was written with it.
    if (checks.failed === 0) throw error;
  } finally {
    await plane?.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
  return checks;
}

async function proveRelease(checks, plane, given) {
  const { kubectl, helm } = plane;
  const inside = (...args) => kubectl('--namespace', NAMESPACE, ...args);
  const list = async (...args) => JSON.parse(expectOk(await inside('get', ...args, '--output', 'json'))).items;
  /** Helm's answer, which is to hold no warning of the API server, such as that of PodSecurity. */
  const quietly = (said) => {
    expectOk(said);
    const warnings = said.stderr.split('\n').filter((line) => /warning/i.test(line));
    Checks.expect(warnings.length === 0, warnings.join('\n'));
  };
  const deployments = async () => await list('deployments');
  const deployment = async (component) =>
    (await deployments()).find(({ metadata }) => metadata.name === `${RELEASE}-${component}`);
  const describe = async () => expectOk(await inside('get', 'pods', '--output', 'wide'));

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
    // Kubernetes puts them into every namespace, some time after it was made: they are there before what is to be left is noted.
    for (const name of ['serviceaccount/default', 'configmap/kube-root-ca.crt']) {
      expectOk(await inside('wait', '--for=create', name, '--timeout=60s'));
    }
  });
  const before = new Set(await allObjects(plane));

  await checks.check('helm install --wait', async () => {
    const said = await helm('install', RELEASE, ...given, ...WAIT);
    if (said.code !== 0) said.stderr += `\n${await describe()}`;
    quietly(said);
    return `${(await list('pods')).length} pods are ready`;
  });
  await checks.check('the migration ran to its end before anything else started', async () => {
    const events = await list('events');
    const done = events.find(
      ({ reason, involvedObject: { kind, name } }) =>
        reason === 'Completed' && kind === 'Job' && name === `${RELEASE}-migrate`,
    );
    Checks.expect(done !== undefined, 'No event tells that the Job adit-migrate was completed.');
    const at = Date.parse(done.lastTimestamp ?? done.eventTime);
    const early = (await deployments()).filter(({ metadata }) => Date.parse(metadata.creationTimestamp) < at);
    Checks.expect(early.length === 0, `Before it: ${early.map(({ metadata }) => metadata.name).join(', ')}`);
  });
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
  await checks.check('helm test', async () =>
    quietly(await helm('test', RELEASE, '--namespace', NAMESPACE, '--timeout', '60s')),
  );
  await checks.check('helm upgrade --wait to three aggregators', async () => {
    quietly(await helm('upgrade', RELEASE, ...given, ...WAIT, '--set', 'services.aggregator.replicas=3'));
    const { status } = await deployment('aggregator');
    Checks.expect(status.readyReplicas === 3, `${status.readyReplicas} are ready.`);
  });
  await checks.check('an upgrade that cannot become ready is rolled back', async () => {
    const never = ['--set', 'services.aggregator.replicas=4', '--set', 'services.aggregator.nodeSelector.none=such'];
    const said = await helm('upgrade', RELEASE, ...given, '--atomic', '--wait', '--timeout', '20s', ...never);
    Checks.expect(said.code !== 0, 'It went through.');
    const { spec, status } = await deployment('aggregator');
    Checks.expect(
      spec.replicas === 3 && status.readyReplicas === 3,
      `${status.readyReplicas} of ${spec.replicas} are ready.`,
    );
    Checks.expect(spec.template.spec.nodeSelector?.none === undefined, 'The node selector is still there.');
  });
  await checks.check('helm rollback to the first revision', async () => {
    quietly(await helm('rollback', RELEASE, '1', '--namespace', NAMESPACE, ...WAIT));
    const { spec } = await deployment('aggregator');
    Checks.expect(spec.replicas === 2, `${spec.replicas} aggregators.`);
  });
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
    const said = await kubectl('drain', 'cpu-1', '--delete-emptydir-data', '--timeout', '120s');
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
    expectOk(await kubectl('uncordon', 'cpu-1'));
    return `${said.stdout.split('\n').filter((line) => line.includes('evicted')).length} pods`;
  });
  await checks.check('helm uninstall leaves nothing', async () => {
    quietly(await helm('uninstall', RELEASE, '--namespace', NAMESPACE, ...WAIT));
    // The garbage collector takes what belonged to what is gone.
    const deadline = Date.now() + 30_000;
    let left;
    do {
      left = (await allObjects(plane)).filter((name) => !before.has(name));
    } while (left.length > 0 && Date.now() < deadline);
    Checks.expect(left.length === 0, left.join('\n'));
  });
}

/** Names of all objects in the namespace, and of those of the cluster that belong to a release. */
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
