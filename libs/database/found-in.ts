/** SQL: no job and no text is deleted among the jobs and variants of transcripts whose ids the array has; true for null. */
export function noneIsDeleted(ids: string): string {
  return `NOT EXISTS (SELECT 1 FROM jobs found WHERE found.id = ANY(${ids}) AND found.time_deleted IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM transcript_variants v JOIN transcripts t ON t.id = v.transcript_id
      WHERE v.id = ANY(${ids}) AND (v.time_deleted IS NOT NULL OR t.time_deleted IS NOT NULL))`;
}
