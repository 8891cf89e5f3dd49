// The order of test files: end-to-end suites first. They take the longest, so a late one would run alone while the
// other workers idle. Those that start every service as a process are spread among those that start one engine: several of
// them at once are more than a small machine has.
import sequencer from '@jest/test-sequencer';

const Sequencer = sequencer.default ?? sequencer;

/** Files that take longer than their size says, longest first. Of the others the larger file goes first. */
const SLOWEST = [
  'tools/chaos/chaos.e2e.spec.ts',
  'apps/standalone/e2e/restart.e2e.spec.ts',
  'libs/media/stream/rtsp/open-rtsp.spec.ts',
  'libs/media/stream/hls/open-hls.spec.ts',
  'apps/standalone/e2e/hostile.e2e.spec.ts',
  'apps/standalone/e2e/models.e2e.spec.ts',
  'apps/standalone/e2e/face-models.e2e.spec.ts',
  'apps/standalone/e2e/picture-modules.e2e.spec.ts',
  'apps/standalone/e2e/python-client.e2e.spec.ts',
  'tools/stack/e2e/poison.e2e.spec.ts',
  'apps/standalone/e2e/job-control.e2e.spec.ts',
  'tools/stack/e2e/api-on-servers.e2e.spec.ts',
  'libs/database/pglite/pglite.spec.ts',
  'apps/gateway/models/new-models.spec.ts',
  'tools/docs/adding-a-module.spec.ts',
  'libs/media/hostile.spec.ts',
  'libs/model-store/model-store.spec.ts',
  'libs/analyses/speech/analysis.spec.ts',
  'libs/analyses/faces/films.spec.ts',
  // Small files that start an engine, or a server of their own: last of all they would run alone.
  'apps/standalone/engine.spec.ts',
  'apps/cli/commands/workspace/workspaces.spec.ts',
  'tools/chart/exports.spec.ts',
  'tools/kubernetes/dry-run.spec.ts',
  'tools/sdk-check/spectral.spec.ts',
  'libs/media/mutations.spec.ts',
  'libs/bus/kafka-idle.spec.ts',
  'libs/bus/kafka.spec.ts',
  'libs/database/backup.spec.ts',
];

export default class LongestFirst extends Sequencer {
  /** Knows nothing of former runs: the same files have the same order everywhere. */
  sort(tests) {
    const known = ({ path }) => SLOWEST.findIndex((name) => path.endsWith(name));
    const rank = (test) => (known(test) < 0 ? SLOWEST.length : known(test));
    const size = ({ path, context }) => context.hasteFS.getSize(path) ?? 0;
    const sorted = [...tests].sort((a, b) => rank(a) - rank(b) || size(b) - size(a) || (a.path < b.path ? -1 : 1));
    const of = (kind) => sorted.filter(({ path }) => kindOf(path) === kind);
    const [stacks, engines] = [of('stack'), of('engine')];
    const spread = stacks.flatMap((stack) => [stack, ...engines.splice(0, 2)]);
    return [...spread, ...engines, ...of('short')];
  }
}

function kindOf(path) {
  if (!path.includes('.e2e.spec.')) return 'short';
  return /[/\\]tools[/\\](chaos|stack)[/\\]/.test(path) ? 'stack' : 'engine';
}
