import { isoTime, type Artifact } from '@adit/contracts';
import type { ArtifactEntity } from '@adit/database';

/** For how long the files of jobs and exports are kept: a week. */
export const ARTIFACT_LIFETIME_MILLISECONDS = 7 * 24 * 3_600_000;

/** An artifact as the interface shows it, with what made it. */
export function presentArtifact(row: ArtifactEntity): Artifact {
  const { id, filename, mimeType, timeCreated, timeExpiration, jobId, exportId } = row;
  return {
    id,
    filename,
    mime_type: mimeType,
    time_created: isoTime(timeCreated),
    time_expiration: isoTime(timeExpiration),
    ...(exportId === null ? {} : { export_id: exportId }),
    ...(jobId === null ? {} : { job_id: jobId }),
  };
}
