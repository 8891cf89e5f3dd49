import { isoTime, type Artifact } from '@adit/contracts';
import type { ArtifactEntity } from '@adit/database';

/** Presents an artifact in the API, with its origin. */
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
