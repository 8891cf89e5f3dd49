import { randomUUID } from 'node:crypto';
import type { Extent } from '@adit/contracts';

/** Prefix of all objects that are removed with a job. */
export function jobPrefix(jobId: string): string {
  return `jobs/${jobId}/`;
}

/** Prefix of objects of a job that are kept until its last analysis has read them. */
export function packsPrefix(jobId: string): string {
  return `${jobPrefix(jobId)}packs/`;
}

/** Prefix of such objects of one chunk. */
export function chunkPacksPrefix(jobId: string, chunkId: string): string {
  return `${packsPrefix(jobId)}${chunkId}/`;
}

export function packKey(jobId: string, chunkId: string, sourceIndex: number, spec: string): string {
  return `${chunkPacksPrefix(jobId, chunkId)}${sourceIndex}/${spec}`;
}

/** Prefix of pictures that result rows show, copied from the observations, which expire earlier. */
export function pictureKey(jobId: string, name: string): string {
  return `${jobPrefix(jobId)}pictures/${name}`;
}

export function artifactKey(jobId: string, artifactId: string): string {
  return `${jobPrefix(jobId)}artifacts/${artifactId}`;
}

/** Everything kept about one media file of a workspace, since it became known: frame index and observations. */
export function mediaPrefix(workspaceId: string, mediaDigest: string, generation: string): string {
  return `media/${workspaceId}/${mediaDigest}/${generation}/`;
}

export function frameIndexKey(workspaceId: string, mediaDigest: string, generation: string): string {
  return `${mediaPrefix(workspaceId, mediaDigest, generation)}frame-index`;
}

/** Name of a unit's exact part of its media, as in the observation cache. */
export function extentName(extent: Extent): string {
  switch (extent.kind) {
    case 'image':
      return extent.page === undefined ? 'image' : `page-${extent.page}`;
    case 'video': {
      const { first, frameStart, frameEnd } = extent.interval;
      return `${first ? 'from-' : ''}${frameStart}-${frameEnd}`;
    }
    case 'audio':
      return `audio-${extent.interval.startMs}-${extent.interval.endMs}`;
  }
}

/**
 * Folder of observations and their pictures, a new one for each analysis. It lies with the media, where later jobs
 * find it, or with the job when `generation` is null: its workspace has no cache, or is erasing the media.
 */
export function observationPrefix(
  job: { id: string; workspaceId: string },
  unit: { mediaDigest: string } & Extent,
  analysisDigest: string,
  generation: string | null,
): string {
  const { workspaceId } = job;
  const media =
    generation === null
      ? `${jobPrefix(job.id)}media/${unit.mediaDigest}/`
      : mediaPrefix(workspaceId, unit.mediaDigest, generation);
  return `${media}${extentName(unit)}/${analysisDigest}/${randomUUID()}/`;
}

/** True for observations in a folder of their media, which is removed as a whole; those of earlier builds lie alone. */
export function isInMediaFolder(observationsKey: string): boolean {
  // `observationPrefix` makes media/<workspace>/<digest>/<folder>/<interval>/<analysis>/<look>/<name>.
  return observationsKey.startsWith('media/') && observationsKey.split('/').length === 8;
}
