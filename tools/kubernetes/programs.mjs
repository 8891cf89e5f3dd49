// The programs that a chart is proven with: Kubernetes' own and those that read charts and rules.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureGoProgram, ensurePublishedProgram, findGoProgram, findPublishedProgram } from '../servers/go.mjs';
import { cacheDirectory } from '../setup/places.mjs';
import { SetupError, Step } from '../setup/step.mjs';
import { ensurePromtool, findPromtool } from './promtool.mjs';

export const kubernetesCache = join(cacheDirectory, 'kubernetes');
const module = import.meta.dirname;

/** A Go module as go.sum names it: `name@version` and its hash. */
export function moduleOf(name) {
  const lines = readFileSync(join(module, 'go.sum'), 'utf8').split('\n');
  const found = lines
    .map((line) => line.split(' '))
    .findLast(([path, version]) => path === name && !version.endsWith('/go.mod'));
  if (found === undefined) throw new Error(`go.sum of tools/kubernetes does not name ${name}.`);
  return { module: `${name}@${found[1]}`, version: found[1], sum: found[2] };
}

const { version: KUBERNETES } = moduleOf('k8s.io/kubernetes');
const [, MAJOR, MINOR] = /^v(\d+)\.(\d+)\./.exec(KUBERNETES);
/** Without them a program calls itself v0.0.0, and refuses to work with the others. */
const STAMPED = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version']
  .flatMap((path) =>
    [`gitVersion=${KUBERNETES}`, `gitMajor=${MAJOR}`, `gitMinor=${MINOR}`].map((set) => `${path}.${set}`),
  )
  .map((set) => `-X ${set}`)
  .join(' ');
/** Helm's assumption about a cluster that it cannot ask. */
const HELM_STAMPED = ['chartutil', 'lint/rules']
  .flatMap((path) => [`${path}.k8sVersionMajor=${MAJOR}`, `${path}.k8sVersionMinor=${MINOR}`])
  .map((set) => `-X helm.sh/helm/v3/pkg/${set}`)
  .join(' ');

/** On a newer client of Kubernetes than the others, so that it would not be built from their go.mod. */
const HELM_4 = {
  name: 'helm',
  title: 'Helm 4',
  module: 'helm.sh/helm/v4@v4.3.2',
  sum: 'h1:zdd8DgKTlLrlYIzdoAntDHLH0V3RkgNIpQ3yjzuD84M=',
  main: './cmd/helm',
};

/** Main packages by name of the program; all from one go.mod, for what they share to be compiled once. */
const MAINS = {
  helm: 'helm.sh/helm/v3/cmd/helm',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform',
  'helm-unittest': 'github.com/helm-unittest/helm-unittest/cmd/helm-unittest',
  etcd: 'go.etcd.io/etcd/server/v3',
  pause: './pause',
  ...Object.fromEntries(
    ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy', 'kubectl', 'kubelet'].map((name) => [
      name,
      `k8s.io/kubernetes/cmd/${name}`,
    ]),
  ),
};

/** Programs that `npm test` uses; a machine that only tests builds no others. */
export const forTests = ['helm', 'kubeconform', 'helm-unittest', 'promtool', 'kubectl', 'etcd', 'kube-apiserver'];

const ready = new Map();

/**
 * The path of a program, which is built or fetched into the cache unless that was done. Throws a SetupError that says
 * what to do. Tried once per process: what failed is not tried for every spec again.
 *
 * @param {string} name
 * @param {Step} [step] Shows progress; lines without one.
 * @returns {Promise<string>}
 */
export function program(name, step) {
  if (!ready.has(name)) ready.set(name, make(name, step));
  return ready.get(name);
}

/** The path of a program that is there already, or null. */
export function findProgram(name) {
  if (name === 'promtool') return findPromtool(kubernetesCache);
  return isHelm4(name) ? findPublishedProgram(HELM_4) : findGoProgram(goProgram(name));
}

/** Helm is 3 unless ADIT_TEST_HELM says 4. */
export function isHelm4(name, env = process.env) {
  const version = env.ADIT_TEST_HELM || '3';
  if (!['3', '4'].includes(version)) throw new SetupError(`ADIT_TEST_HELM is "${version}"; it can be 3 or 4.`);
  return name === 'helm' && version === '4';
}

async function make(name, given) {
  const found = findProgram(name);
  if (found !== null) return found;
  const step = given ?? new Step({ live: false });
  let failed = true;
  try {
    const path = await ensure(step, name);
    failed = false;
    return path;
  } finally {
    step.end(failed);
  }
}

function ensure(step, name) {
  if (name === 'promtool') return ensurePromtool(step, kubernetesCache);
  return isHelm4(name) ? ensurePublishedProgram(step, HELM_4) : ensureGoProgram(step, goProgram(name));
}

function goProgram(name) {
  const main = MAINS[name];
  if (main === undefined)
    throw new SetupError(`No program "${name}": there are ${[...Object.keys(MAINS), 'promtool'].join(', ')}.`);
  const ldflags = name === 'helm' ? HELM_STAMPED : STAMPED;
  return { name, title: name, module, main, ldflags, cache: kubernetesCache };
}
