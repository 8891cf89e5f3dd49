import type { FrameInterval } from '@adit/contracts';

/** Everything in the object store that dies with a job. */
export function jobPrefix(jobId: string): string {
  return `jobs/${jobId}/`;
}

export function packKey(jobId: string, chunkId: string, sourceIndex: number, spec: string): string {
  return `${jobPrefix(jobId)}packs/${chunkId}/${sourceIndex}/${spec}`;
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

/** Everything kept about one media file of a workspace: frame index and observations. */
export function mediaPrefix(workspaceId: string, mediaDigest: string): string {
  return `media/${workspaceId}/${mediaDigest}/`;
}

export function frameIndexKey(workspaceId: string, mediaDigest: string): string {
  return `${mediaPrefix(workspaceId, mediaDigest)}frame-index`;
}

/** The exact stretch of media a unit covers, as the observation cache names it. */
export function intervalName(interval: FrameInterval | null): string {
  return interval === null ? 'image' : `${interval.frameStart}-${interval.frameEnd}`;
}

/**
 * Observations and the pictures kept with them. They lie with the media, where later jobs find them, or with the job
 * when its workspace keeps no cache.
 */
export function observationPrefix(
  job: { id: string; workspaceId: string },
  unit: { mediaDigest: string; interval: FrameInterval | null },
  analysisDigest: string,
  cached: boolean,
): string {
  const media = mediaPrefix(job.workspaceId, unit.mediaDigest);
  return `${cached ? '' : jobPrefix(job.id)}${media}${intervalName(unit.interval)}/${analysisDigest}/`;
}

export function storageObjectKey(workspaceId: string, storageKey: string): string {
  return `storage/${workspaceId}/${storageKey}`;
}

/** A stretch of a file that was uploaded in parts. */
export function storagePartKey(workspaceId: string, storageKey: string, name: string): string {
  return `${storageObjectKey(workspaceId, storageKey)}/parts/${name}`;
}

export function storageThumbnailKey(workspaceId: string, storageKey: string): string {
  return `${storageObjectKey(workspaceId, storageKey)}/thumbnail`;
}
