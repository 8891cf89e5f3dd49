// `npm run chart`: proves the Helm chart on a real Kubernetes.
import { Step } from '../setup/step.mjs';

const USAGE = `Proves helm/adit on a real Kubernetes 1.34, which is built once into the cache and needs no network then.

  npm run chart -- cluster     a control plane on loopback with nodes that are played: install, test, upgrade, a failing
                               upgrade, rollback, evictions and a drain, uninstall; about a minute
  npm run chart -- node        a kubelet with containerd on this machine, as root: the image of deploy/Dockerfile mines in
                               pods while they are replaced; half an hour the first time, since the image is built
  npm run chart -- evaluation  on the same node: servers that the chart brings along, and weights that it pulls

  --help                       this text; "npm run chart -- node --help" has more

Ends with 1 when something is not as it should be.`;

/** Answers the exit code. */
export async function runChart([what, ...args]) {
  if (what === 'node') {
    const { runNode } = await import('./node.mjs');
    return await runNode(args);
  }
  if (what === 'evaluation') {
    const { runEvaluation } = await import('./evaluation.mjs');
    return await runEvaluation(args);
  }
  if (what === undefined || what === '--help' || what === '-h' || args.some((arg) => ['--help', '-h'].includes(arg))) {
    console.log(USAGE);
    return what === undefined ? 2 : 0;
  }
  if (what !== 'cluster' || args.length > 0) {
    console.error(`Wrong argument: ${what === 'cluster' ? args[0] : what}\n\n${USAGE}`);
    return 2;
  }
  const { proveOnCluster } = await import('./cluster.mjs');
  const checks = await proveOnCluster({ step: new Step() });
  console.log(
    checks.failed === 0
      ? `The chart holds: ${checks.done} checks.`
      : 'The chart does not hold; the line with the cross says where. Its objects: helm template adit helm/adit.',
  );
  return checks.failed === 0 ? 0 : 1;
}
