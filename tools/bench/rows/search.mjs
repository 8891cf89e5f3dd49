// Questions to an archive of 1 or 10 million segments, over HTTP, beside a second workspace that has a fifth of them.
import { loadavg } from 'node:os';
import { median, percentile, timed } from '../measure.mjs';
import { Processes } from '../processes.mjs';

/** Goals of one question, and of several things together: p95 in milliseconds. */
const [LIMIT_MS, TOGETHER_MS] = [200, 500];
const SEGMENTS_OF_JOB = 1_000;
const BATCH = 100_000;

/** Words by number, made of syllables: as long and as alike as those of a language, few of them frequent. */
const WORDS = `
  CREATE FUNCTION bench_word(n int) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT s[1 + n % 40] || s[1 + n / 40 % 40] || s[1 + (n * 7 + 3) % 40] || CASE WHEN n > 1600 THEN s[1 + n / 1600 % 40] ELSE '' END
      FROM (SELECT string_to_array('ba,cor,de,fin,gu,hal,im,ju,kel,lo,mar,ne,ol,pra,qui,ra,sto,ta,un,ver,wi,xa,yo,zen,bri,cla,dro,est,fro,gle,hem,ist,kra,lin,mun,nor,pel,ros,ten,vul', ',') AS s) t
  $$`;
/** Of 40,000 words; how often each is met falls with its number, as in a language. */
const FREQUENT = `floor(40000 * power(random(), 4))::int`;

/** Jobs of $1 from number $2 to $3, an hour apart. */
const JOBS = `
  INSERT INTO jobs (id, workspace_id, state, media_type, tag, priority, rank, segment_count, time_created)
  SELECT md5($1::text || n)::uuid, $1::uuid, 'completed', 'video', 'tag ' || n % 50, 5, 4, ${SEGMENTS_OF_JOB},
         now() - n * interval '1 hour'
    FROM generate_series($2::int, $3::int) n`;

/** Segments from number $2 to $3 of the workspace's: two fifths labels, a fifth people, two fifths of twelve words each. */
const SEGMENTS = `
  WITH made AS MATERIALIZED (
    SELECT md5($1::text || n / ${SEGMENTS_OF_JOB})::uuid AS job_id, n % ${SEGMENTS_OF_JOB} AS seq, n % 5 AS kind, n,
           CASE n % 5 WHEN 0 THEN initcap(bench_word(p % 200) || ' ' || bench_word(200 + p))
                      WHEN 1 THEN bench_word(floor(400 * power(random(), 3))::int)
                      WHEN 2 THEN bench_word(floor(400 * power(random(), 3))::int)
                      ELSE (SELECT string_agg(bench_word(${FREQUENT}), ' ') FROM generate_series(1, 12) WHERE n = n) END AS text
      FROM generate_series($2::int, $3::int) n, LATERAL (SELECT floor(4000 * power(random(), 2) + 0 * n)::int AS p) person),
  stored AS (
    INSERT INTO segments (job_id, seq, module_id, module_seq, source_index, time_start, time_end, type, label, confidence, meta, detections)
    SELECT job_id, seq, CASE kind WHEN 0 THEN 'face_recognition' WHEN 1 THEN 'object_detection' WHEN 2 THEN 'object_detection'
                                  ELSE 'speech_recognition' END,
           seq, 0, seq, seq + 2, CASE WHEN kind > 2 THEN 'speech' WHEN kind = 0 THEN 'face' ELSE 'object' END,
           CASE WHEN kind > 2 THEN 'speech' ELSE text END, 0.5,
           CASE WHEN kind > 2 THEN jsonb_build_object('text', text, 'language', 'en') ELSE '{}' END, '[]'
      FROM made)
  INSERT INTO search_documents (workspace_id, job_id, batch_id, tag, time_created, round, source_index, seq, module_id, type,
                                field, language, time_start, time_end, moment, length, words)
  SELECT $1::uuid, job_id, NULL, 'tag ' || n / ${SEGMENTS_OF_JOB} % 50, t.created, 1, 0, seq,
         CASE kind WHEN 0 THEN 'face_recognition' WHEN 1 THEN 'object_detection' WHEN 2 THEN 'object_detection' ELSE 'speech_recognition' END,
         CASE WHEN kind > 2 THEN 'speech' WHEN kind = 0 THEN 'face' ELSE 'object' END,
         CASE WHEN kind > 2 THEN 'said' WHEN kind = 0 THEN 'who' ELSE 'what' END, CASE WHEN kind > 2 THEN 'en' END,
         seq, seq + 2, t.created, array_length(w.list, 1),
         w.simple::tsvector || CASE WHEN kind > 2 THEN setweight(to_tsvector('english', text), 'C') ELSE '' END
    FROM made,
         LATERAL (SELECT now() - (n / ${SEGMENTS_OF_JOB}) * interval '1 hour' AS created) t,
         LATERAL (SELECT string_to_array(lower(text), ' ') AS list,
                         (SELECT string_agg(format('%L:%s%s', '=' || word, place, CASE WHEN kind > 2 THEN 'C' WHEN kind = 0 THEN 'A' ELSE 'B' END), ' ')
                            FROM unnest(string_to_array(lower(text), ' ')) WITH ORDINALITY AS u (word, place)) AS simple) w`;

const FEEDS = `
  INSERT INTO search_feed (id, workspace_id, state, next_seq, matched_seq, version, segments, languages, changes, indexed)
  SELECT id, workspace_id, 'done', ${SEGMENTS_OF_JOB}, ${SEGMENTS_OF_JOB}, 2, ${SEGMENTS_OF_JOB}, '{en}', 1, 1 FROM jobs`;

/** The words of all documents. */
const VOCABULARY = `
  INSERT INTO search_words (workspace_id, field, word, seen)
  SELECT DISTINCT d.workspace_id, d.field, substr(w.lexeme, 2), CURRENT_DATE FROM search_documents d, unnest(d.words) w WHERE w.lexeme LIKE '=%'`;

/** Each is asked of other words; `w(n)` is the word of that number, the smaller the more frequent. */
const QUESTIONS = {
  'a word': (w, i) => ({ q: w(2_000 + 37 * i) }),
  'a common word': (w, i) => ({ q: w(i) }),
  'a common word, exact ones alone': (w, i) => ({ q: w(i), fuzzy: 'false' }),
  'a phrase': (w, i) => ({ said: `"${w(10 + i)} ${w(40 + i)}"` }),
  'a label': (w, i) => ({ what: w(100 + 7 * i) }),
  somebody: (w, i) => ({ who: `"${w((97 * i) % 200)} ${w(200 + 97 * i)}"` }),
  'a misspelt word': (w, i) => ({ said: `${w(2_000 + 41 * i).slice(0, -2)}e${w(2_000 + 41 * i).slice(-1)}` }),
  'a misspelt name': (w, i) => ({ who: `${w(200 + 41 * i).slice(0, -2)}e${w(200 + 41 * i).slice(-1)}` }),
  'a part of words': (w, i) => ({ said: w(2_000 + 41 * i).slice(0, 5) }),
  'a label, by tag': (w, i) => ({ what: w(60 + 7 * i), tag: `tag ${i % 50}` }),
  'all of a tag': (_, i) => ({ tag: `tag ${i % 50}` }),
  'two together': (w, i) => ({ q: `what:${w(100 + 7 * i)} said:${w(1_000 + 37 * i)}`, together: '10' }),
  'two common together': (w, i) => ({ q: `what:${w(2 + i)} said:${w(3 + i)}`, together: '10' }),
  'three together': (w, i) => ({
    q: `what:${w(10 + i)} who:${w(i)} said:${w(50 + 3 * i)}`,
    together: '10',
  }),
};

export function search(bench) {
  return measure(bench, bench.quick ? 20_000 : Number(process.env['ADIT_BENCH_SEGMENTS'] ?? 1_000_000));
}

export function search10m(bench) {
  return measure(bench, bench.quick ? 20_000 : 10_000_000);
}

async function measure(bench, count) {
  const processes = await Processes.start({ only: ['gateway'] });
  try {
    const size = await fill(bench, processes, count);
    const words = await processes.db.query('SELECT bench_word(n) AS word FROM generate_series(0, 5000) n ORDER BY n');
    const word = (n) => words.rows[n].word;
    const rows = [];
    for (const [name, question] of Object.entries(QUESTIONS)) {
      rows.push(await ask(bench, processes, { name, question: (i) => question(word, i), count }));
    }
    return [...rows, size];
  } finally {
    await processes.close();
  }
}

async function ask(bench, processes, { name, question, count }) {
  const times = [];
  let found = 0;
  const asked = bench.quick ? 3 : 30;
  for (let i = -2; i < asked; i++) {
    const path = `/search/?${new URLSearchParams({ limit: '10', ...question(Math.max(0, i)) })}`;
    const { seconds, value } = await timed(() => processes.get(path));
    // The first ones are for warming up.
    if (i < 0) continue;
    times.push(1000 * seconds);
    found += value.total;
  }
  const limit = name.endsWith('together') ? TOGETHER_MS : LIMIT_MS;
  const p95 = percentile(times, 0.95);
  bench.log(
    `search: ${name}: ${median(times).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, ${Math.round(found / asked)} found`,
  );
  return {
    name: `${name}, in ${count.toLocaleString('en')} segments`,
    measured: `p95 ${p95.toFixed(0)} ms`,
    goal: `≤ ${limit} ms`,
    ok: p95 <= limit,
    note: `over HTTP, page and count; median ${median(times).toFixed(0)} ms, ${Math.round(found / asked)} found in the mean; load ${loadavg()[0].toFixed(0)}`,
  };
}

/** Rows are made by PostgreSQL itself, and the inverted indexes after them; answers how large the index is. */
async function fill(bench, { db }, count) {
  const [{ id: ours }] = (await db.query('SELECT id FROM workspaces LIMIT 1')).rows;
  const theirs = '00000000-0000-4000-8000-000000000001';
  await db.query(WORDS);
  const indexes = await db.query(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
      WHERE tablename = 'search_documents' AND indexdef LIKE '%USING gin%'`,
  );
  for (const { name } of indexes.rows) await db.query(`DROP INDEX ${name}`);
  for (const [id, of] of [
    [ours, (count * 4) / 5],
    [theirs, count / 5],
  ]) {
    await db.query(JOBS, [id, 0, of / SEGMENTS_OF_JOB - 1]);
    for (let from = 0; from < of; from += BATCH) {
      await db.query(SEGMENTS, [id, from, Math.min(of, from + BATCH) - 1]);
      bench.log(`search: ${Math.min(of, from + BATCH)} of ${of} segments`);
    }
  }
  await db.query(FEEDS);
  await db.query(VOCABULARY);
  for (const { name, definition } of indexes.rows) {
    await db.query(definition);
    bench.log(`search: ${name}`);
  }
  for (const table of ['segments', 'search_documents', 'search_words', 'jobs', 'search_feed'])
    await db.query(`VACUUM ANALYZE ${table}`);
  const { rows } = await db.query(
    `SELECT pg_total_relation_size('search_documents') / 1e6 AS index, pg_total_relation_size('segments') / 1e6 AS segments`,
  );
  const [{ index, segments }] = rows;
  return {
    name: `index of ${count.toLocaleString('en')} short segments ÷ their rows`,
    measured: `${(index / segments).toFixed(2)} ×`,
    goal: '',
    ok: true,
    note: `${Math.round(index)} MB, of which ${indexes.rows.length} inverted indexes, beside ${Math.round(segments)} MB`,
  };
}
