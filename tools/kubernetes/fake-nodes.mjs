// Nodes that only the API server knows, and what becomes of their pods: kwok plays the kubelet.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { dump, loadAll } from 'js-yaml';
import { downloadGoModule } from '../servers/go.mjs';
import { Step } from '../setup/step.mjs';
import { moduleOf } from './programs.mjs';

/** A pod takes as long to become ready: evictions at once would find nothing that a disruption budget has to hold up. */
const READY_AFTER_MS = 1_500;

/** Pods of Helm's hooks end well, as those of Jobs do by kwok's own stages. */
const HOOKS_END = {
  apiVersion: 'kwok.x-k8s.io/v1alpha1',
  kind: 'Stage',
  metadata: { name: 'hook-complete' },
  spec: {
    resourceRef: { apiGroup: 'v1', kind: 'Pod' },
    selector: {
      matchExpressions: [
        { key: '.metadata.deletionTimestamp', operator: 'DoesNotExist' },
        { key: '.status.phase', operator: 'In', values: ['Running'] },
        { key: '.spec.restartPolicy', operator: 'In', values: ['Never'] },
        { key: '.metadata.annotations["helm.sh/hook"]', operator: 'Exists' },
      ],
    },
    next: {
      statusTemplate: `
{{ $now := Now }}
containerStatuses:
{{ range .spec.containers }}
- image: {{ .image | Quote }}
  name: {{ .name | Quote }}
  ready: false
  restartCount: 0
  started: false
  state:
    terminated: {exitCode: 0, finishedAt: {{ $now | Quote }}, reason: Completed, startedAt: {{ $now | Quote }}}
{{ end }}
phase: Succeeded
`,
    },
  },
};

/** kwok's configuration: its own stages of pods, from its module, and ours. */
export async function stagesFile(step = new Step({ live: false })) {
  const { module, sum } = moduleOf('sigs.k8s.io/kwok');
  const folder = join(await downloadGoModule(step, module, sum), 'kustomize/stage/pod/fast');
  const stages = readdirSync(folder)
    .filter((file) => file.startsWith('pod-') && file.endsWith('.yaml'))
    .flatMap((file) => loadAll(readFileSync(join(folder, file), 'utf8')));
  for (const stage of stages) {
    if (stage.metadata.name === 'pod-ready') stage.spec.delay = { durationMilliseconds: READY_AFTER_MS };
  }
  return [...stages, HOOKS_END].map((stage) => dump(stage)).join('---\n');
}

/** One with GPUs is tainted and labelled, as NVIDIA's operator does. */
export function fakeNode({ name, gpus = 0, zone = 'zone-1' }) {
  const room = { cpu: '32', memory: '128Gi', pods: '110', 'ephemeral-storage': '500Gi' };
  const resources = gpus > 0 ? { ...room, 'nvidia.com/gpu': String(gpus) } : room;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'topology.kubernetes.io/zone': zone,
        ...(gpus > 0 ? { 'nvidia.com/gpu.present': 'true' } : {}),
      },
    },
    spec: gpus > 0 ? { taints: [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }] } : {},
    status: { capacity: resources, allocatable: resources },
  };
}
