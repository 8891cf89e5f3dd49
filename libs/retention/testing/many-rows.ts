import type { DataSource } from 'typeorm';

/** The least UUID of the rows; the others count on from it. */
const uuidOf = (number: string): string => `('00000000-0000-4000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;

/** SQL: 40 days ago for the first `due` rows, else some time of the last day. */
const time = (due: number): string =>
  `CASE WHEN n <= ${due} THEN now() - interval '40 days' ELSE now() - make_interval(secs => n % 80000) END`;

/** Rows of one statement: a silent server is waited for a minute at the most. */
const STEP = 50_000;

export interface ManyRows {
  /** Rows of each table. */
  rows: number;
  /** The first ones, which are over. */
  due: number;
  /** Each such job is under the tag `held`. */
  heldEvery?: number;
}

/**
 * Fills every table that retention goes through with rows of a workspace, the first of which are over: made by the database, and
 * known to its planner.
 */
export async function fillTables(
  db: DataSource,
  workspaceId: string,
  { rows, due, heldEvery = rows / 20 }: ManyRows,
): Promise<void> {
  const made = time(due);
  const expires = `${made} + interval '7 days'`;
  const each = 'FROM generate_series(FIRST_ROW, LAST_ROW) n';
  const tables: Record<string, string> = {
    jobs: `(id, workspace_id, tag, state, priority, rank, media_type, time_created, time_completed, time_expires, recorded)
      SELECT ${uuidOf('n')}, $1, CASE WHEN n % ${heldEvery} = 0 THEN 'held' ELSE '' END, 'completed', 5, 4, 'video', ${made}, ${made},
             CASE WHEN n % 2 = 0 THEN ${expires} END, true ${each}`,
    job_modules: `(job_id, module_id, position, posted_as, args, models, analyses, state)
      SELECT ${uuidOf('n')}, 'm', 0, 'm', '{}', '[]', '{}', 'completed' ${each}`,
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
    const insert = `INSERT INTO ${table} ${statement}`;
    for (let first = 1; first <= rows; first += STEP) {
      const last = Math.min(rows, first + STEP - 1);
      const step = insert.replace('FIRST_ROW', String(first)).replace('LAST_ROW', String(last));
      await db.query(step, step.includes('$1') ? [workspaceId] : []);
    }
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

/** SQL: the number of a row by one of its columns. */
const ofUuid = (column: string): string => `('x' || right(${column}::text, 12))::bit(48)::bigint`;
const ofText = (column: string): string => `regexp_replace(${column}, '\\D', '', 'g')::bigint`;

/** Tables whose rows go by themselves: the number of a row, which of them are there, and whether a legal hold on its job keeps it. */
const SWEPT: Record<string, { number: string; where?: string; isHeld?: boolean }> = {
  jobs: { number: ofUuid('id'), where: 'time_deleted IS NULL', isHeld: true },
  observations: { number: ofText(`split_part(object_key, '/', 2)`), isHeld: true },
  artifacts: { number: ofUuid('id'), isHeld: true },
  recording_segments: { number: ofUuid('job_id'), isHeld: true },
  storage_entries: { number: ofText('key'), isHeld: true },
  clips: { number: ofUuid('id') },
  usage_days: { number: ofText('module_id') },
  workspace_events: { number: 'number' },
  idempotency_keys: { number: ofText('key') },
  dataset_imports: { number: ofUuid('id') },
  transcripts: { number: ofUuid('id') },
  batches: { number: ofUuid('id') },
};

/** What retention has made of a table. */
export interface Left {
  table: string;
  /** Rows that are over and still there. */
  due: number;
  /** Rows that a legal hold keeps, and that are gone. */
  heldLost: number;
  /** Rows that are not over, and are gone. */
  lost: number;
}

/** Looks at what is left of the tables that `fillTables` has filled. */
export async function leftOf(db: DataSource, { rows, due, heldEvery = rows / 20 }: ManyRows): Promise<Left[]> {
  const left: Left[] = [];
  for (const [table, { number, where = 'true', isHeld = false }] of Object.entries(SWEPT)) {
    const [row]: { over: number; held: number; kept: number }[] = await db.query(
      `SELECT count(*) FILTER (WHERE n <= $1 AND n % $2 <> 0)::int AS over, count(*) FILTER (WHERE n <= $1 AND n % $2 = 0)::int AS held,
              count(*) FILTER (WHERE n > $1 AND n <= $3)::int AS kept
         FROM (SELECT ${number} AS n FROM ${table} WHERE ${where}) t`,
      [due, heldEvery, rows],
    );
    const { over = 0, held = 0, kept = 0 } = row ?? {};
    const wanted = Math.floor(due / heldEvery);
    left.push({
      ...{ table, due: isHeld ? over : over + held, lost: rows - due - kept },
      heldLost: isHeld ? wanted - held : 0,
    });
  }
  return left;
}
