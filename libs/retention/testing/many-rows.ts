import { inTransaction } from '@adit/database';
import type { DataSource } from 'typeorm';

/** The least UUID of the rows; the others count on from it. */
const uuidOf = (number: string): string => `('00000000-0000-4000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;

/** SQL: 40 days ago for the first `due` rows, else some time of the last day. */
const time = (due: number): string =>
  `CASE WHEN n <= ${due} THEN now() - interval '40 days' ELSE now() - make_interval(secs => n % 80000) END`;

/**
 * Fills every table that retention goes through with `rows` rows of a workspace, the first `due` of which are over: made by the
 * database, and known to its planner.
 */
export async function fillTables(db: DataSource, workspaceId: string, rows: number, due: number): Promise<void> {
  const made = time(due);
  const expires = `${made} + interval '7 days'`;
  const each = `FROM generate_series(1, ${rows}) n`;
  const tables: Record<string, string> = {
    jobs: `(id, workspace_id, tag, state, priority, rank, media_type, time_created, time_completed, time_expires, recorded)
      SELECT ${uuidOf('n')}, $1, CASE WHEN n % ${rows / 20} = 0 THEN 'held' ELSE '' END, 'completed', 5, 4, 'video', ${made}, ${made},
             CASE WHEN n % 2 = 0 THEN ${expires} END, true ${each}`,
    job_sources: `(job_id, index, uri, state, media_digest)
      SELECT ${uuidOf('n')}, 0, 'storage://key-' || n, 'planned', sha256(n::text::bytea)::text ${each}`,
    media: `(workspace_id, digest, facts, time_expires, lifetime)
      SELECT $1, sha256(n::text::bytea)::text, '{}', ${expires}, 604800 ${each}`,
    observations: `(workspace_id, media_digest, interval, analysis_digest, object_key, time_expires, lifetime)
      SELECT $1, sha256(n::text::bytea)::text, 'image', 'f', 'media/' || n || '/o.json', ${expires}, 604800 ${each}`,
    exports: `(id, workspace_id, strategy, config, state, job_id, time_created)
      SELECT ${uuidOf('n')}, $1, 'job_results_export', '{}', 'completed', ${uuidOf('n')}, ${made} ${each}`,
    artifacts: `(id, job_id, export_id, filename, object_key, size, time_created, time_expiration)
      SELECT ${uuidOf('n')}, CASE WHEN n % 2 = 0 THEN ${uuidOf('n')} END, CASE WHEN n % 2 = 1 THEN ${uuidOf('n')} END, 'a', 'jobs/a/' || n, 1,
             ${made}, ${expires} ${each}`,
    clips: `(id, workspace_id, job_id, digest, cut, state, time_created, time_expires, size)
      SELECT ${uuidOf('n')}, $1, ${uuidOf('n')}, 'a', '{}', 'completed', ${made}, ${made} + interval '1 day', 1 ${each}`,
    recording_headers: `(job_id, digest, bytes) SELECT ${uuidOf('n')}, 'a', '' ${each}`,
    recording_segments: `(job_id, seq, workspace_id, from_us, duration_us, time_start, bytes, discontinuity, breaks, header, object_key)
      SELECT ${uuidOf('n')}, 0, $1, 0, 4000000, ${made}, 1, false, 0, 'a', 'jobs/r/' || n ${each}`,
    storage_entries: `(workspace_id, folder, name, is_folder, key, size, uploaded, time_touched, time_uploaded)
      SELECT $1, '/', 'f' || n, false, 'key-' || n, 1, true, ${made}, ${made} ${each}`,
    usage_days: `(workspace_id, day, module_id, key_id, media_seconds, chunk_seconds, cpu_seconds, gpu_seconds)
      SELECT $1, (now() - make_interval(days => CASE WHEN n <= ${due} THEN 900 ELSE n % 700 END))::date, 'm' || n, 'k', 1, 1, 1, 0 ${each}`,
    workspace_events: `(workspace_id, number, subject_id, event, data, time_created)
      SELECT $1, n, ${uuidOf('n')}, 'on_completed', '{}', ${made} ${each}`,
    idempotency_keys: `(workspace_id, key, request_digest, status, time_expires)
      SELECT $1, 'k' || n, 'a', 200, ${made} + interval '1 day' ${each}`,
    object_removals: `(prefix, time_due) SELECT 'gone/' || n, ${made} + interval '1 day' ${each}`,
    dataset_imports: `(id, workspace_id, dataset_id, state, time_created, time_expiration)
      SELECT ${uuidOf('n')}, $1, ${uuidOf('n')}, 'completed', ${made}, ${expires} ${each}`,
    transcripts: `(id, workspace_id, job_id, tag, source, time_deleted)
      SELECT ${uuidOf('n')}, $1, ${uuidOf('n')}, '', 'a', CASE WHEN n <= ${due} THEN now() END ${each}`,
    transcript_variants: `(id, transcript_id, job_id, name, latest_version, last_number, time_deleted)
      SELECT ${uuidOf('n')}, ${uuidOf('n')}, ${uuidOf('n')}, 'a', 1, 1, CASE WHEN n <= ${due} THEN now() END ${each}`,
    batches: `(id, workspace_id, name, time_deleted)
      SELECT ${uuidOf('n')}, $1, 'a', CASE WHEN n <= ${due} THEN now() - interval '1 day' END ${each}`,
  };
  for (const [table, statement] of Object.entries(tables)) {
    await inTransaction(db, async (manager) => {
      await manager.query('SET LOCAL statement_timeout = 0');
      await manager.query(`INSERT INTO ${table} ${statement}`, statement.includes('$1') ? [workspaceId] : []);
    });
    await db.query(`ANALYZE ${table}`);
  }
  // Deleted a while ago, behind the others.
  await db.query(
    `INSERT INTO jobs (id, workspace_id, tag, state, priority, rank, media_type, time_deleted)
     SELECT ${uuidOf(`${rows} + n`)}, $1, '', 'completed', 5, 4, 'video', now() - interval '3 days' FROM generate_series(1, ${due}) n`,
    [workspaceId],
  );
  await db.query(
    `INSERT INTO workspace_event_heads (workspace_id, last) VALUES ($1, ${rows})
     ON CONFLICT (workspace_id) DO UPDATE SET last = excluded.last`,
    [workspaceId],
  );
}
