import { isoTime, type Canary } from '@adit/contracts';
import type { CanaryEntity, CanaryPictureEntity } from '@adit/database';
import { latencyOf } from './latency.js';

const MAX_LABELS = 1000;

/** Returns a canary as the API shows it. */
export function presentedCanary(canary: CanaryEntity, pictures: readonly CanaryPictureEntity[]): Canary {
  const { counts } = canary;
  const labels = Object.entries(counts.labels).map(([label, [both, stable, candidate]]) => ({
    ...{ label, both, only_stable: stable, only_candidate: candidate },
  }));
  const alone = (label: (typeof labels)[number]): number => label.only_stable + label.only_candidate;
  const both = labels.reduce((sum, label) => sum + label.both, 0);
  const all = labels.reduce((sum, label) => sum + label.both + alone(label), 0);
  return {
    id: canary.id,
    state: canary.state,
    reason: canary.reason,
    version: canary.version,
    stable_version: canary.stableVersion,
    share: canary.share,
    time_created: isoTime(canary.timeCreated),
    time_ended: canary.timeEnded === null ? null : isoTime(canary.timeEnded),
    units: {
      compared: counts.compared,
      skipped: counts.skipped,
      failed: counts.failed,
      last_error: canary.lastError,
    },
    pictures: { compared: counts.pictures, differing: counts.differing },
    agreement: all === 0 ? null : Number((both / all).toFixed(4)),
    labels: labels
      .sort((a, b) => alone(b) - alone(a) || b.both - a.both || (a.label < b.label ? -1 : 1))
      .slice(0, MAX_LABELS),
    latency: { stable: latencyOf(counts.stable), candidate: latencyOf(counts.candidate) },
    differing_pictures: pictures.map(({ id, jobId, frame, time, difference, stable, candidate }) => ({
      ...{ id, job_id: jobId, frame, time, difference: Number(difference.toFixed(4)), stable, candidate },
    })),
  };
}
