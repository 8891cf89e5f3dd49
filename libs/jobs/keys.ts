import { randomUUID } from 'node:crypto';
import type { Extent } from '@adit/contracts';

/** Everything in the object store that dies with a job. */
export function jobPrefix(jobId: string): string {
  return `jobs/${jobId}/`;
}

/** Everything of a job that is kept until its last analysis has read it. */
export function packsPrefix(jobId: string): string {
  return `${jobPrefix(jobId)}packs/`;
}

/** The same of one chunk. */
export function chunkPacksPrefix(jobId: string, chunkId: string): string {
  return `${packsPrefix(jobId)}${chunkId}/`;
}

export function packKey(jobId: string, chunkId: string, sourceIndex: number, spec: string): string {
  return `${chunkPacksPrefix(jobId, chunkId)}${sourceIndex}/${spec}`;
}

/** Pictures that result rows show; copied from the observations, which expire earlier. */
export function pictureKey(jobId: string, name: string): string {
  return `${jobPrefix(jobId)}pictures/${name}`;
}

export function artifactKey(jobId: string, artifactId: string): string {
  return `${jobPrefix(jobId)}artifacts/${artifactId}`;
}

/** Everything in the object store that dies with an export. */
export function exportPrefix(exportId: string): string {
  return `exports/${exportId}/`;
}

/** Everything kept about one media file of a workspace, since it became known: frame index and observations. */
export function mediaPrefix(workspaceId: string, mediaDigest: string, generation: string): string {
  return `media/${workspaceId}/${mediaDigest}/${generation}/`;
}

export function frameIndexKey(workspaceId: string, mediaDigest: string, generation: string): string {
  return `${mediaPrefix(workspaceId, mediaDigest, generation)}frame-index`;
}

/** The exact part of media that a unit is, as the observation cache names it. */
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
 * A folder for observations and the pictures kept with them, another one for each look. It lies with the media, where later
 * jobs find it, or with the job when `generation` is null: its workspace keeps no cache, or forgets the media just now.
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

/** Whether observations lie in a folder of their media, which goes as a whole; those of earlier builds lie alone. */
export function isInMediaFolder(observationsKey: string): boolean {
  // As observationPrefix makes it: media/<workspace>/<digest>/<folder>/<interval>/<analysis>/<look>/<name>.
  return observationsKey.startsWith('media/') && observationsKey.split('/').length === 8;
}
