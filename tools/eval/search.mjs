// Whether the search finds what a person who read everything would find: questions over real texts, with their right answers.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { columns, inTransaction, JobEntity, openDatabase, SearchFeedEntity } from '@adit/database';
import { parseQuery, PostgresIndex } from '@adit/search';
import { archive } from './search-archive.mjs';

/** Share of the right answers, of at most ten, that are among the first ten. */
const BAR = 0.95;
const FIRST = 10;
/** Nothing is left off on a machine that does other work. */
const FUZZY_MS = 60_000;

/** Adds the lines of the search to the table. Where the texts cannot be had, one line says so. */
export async function search(scratch, row) {
  try {
    await searchRows(await archive(scratch), row);
  } catch (error) {
    if (error.name !== 'SetupError') throw error;
    row('search', `not measured: ${error.message.split('\n', 1)[0]}`);
  }
}

async function searchRows(jobs, row) {
  const { questions } = JSON.parse(await readFile(join(import.meta.dirname, 'search-questions.json'), 'utf8'));
  const database = await openDatabase({ driver: 'pglite', directory: null });
  try {
    const index = new PostgresIndex(database.dataSource, FUZZY_MS);
    const { workspaceId, keys } = await fill(database.dataSource, index, jobs);
    const known = new Set(keys.values());
    const kinds = new Map();
    let firstRight = 0;
    for (const { kind, q, together = null, right } of questions) {
      const lost = right.find((key) => !known.has(key));
      if (lost !== undefined) throw new Error(`There is no ${lost} in the archive, which is right for ${q}.`);
      const question = { workspaceId, query: parseQuery(q, { parameter: 'q' }), filter: {}, fuzzy: true, together };
      const { documents } = await index.find(question, { after: null, limit: FIRST });
      const found = documents.map(({ jobId, key }) => keys.get(`${jobId} ${key.seq}`));
      const hits = right.filter((key) => found.includes(key)).length;
      const recall = right.length === 0 ? Number(found.length === 0) : hits / Math.min(FIRST, right.length);
      const wrong = found.filter((key) => !right.includes(key)).length;
      const sum = kinds.get(kind) ?? { asked: 0, recall: 0, wrong: 0, found: 0 };
      kinds.set(kind, sum);
      sum.asked += 1;
      sum.recall += recall;
      sum.wrong += wrong;
      sum.found += found.length;
      if (hits > 0 && right.includes(found[0])) firstRight += 1;
      if (recall < 1) row(`  ${q}`, `${hits} of ${right.length} right, ${found.length} found`);
    }
    report(questions, { kinds, firstRight, documents: keys.size }, row);
  } finally {
    await database.close();
  }
}

function report(questions, { kinds, firstRight, documents }, row) {
  const all = [...kinds.values()].reduce((sum, { recall }) => sum + recall, 0) / questions.length;
  for (const [kind, { asked, recall, wrong, found }] of kinds) {
    row(
      `search, ${kind}: recall at 10`,
      `${percent(recall / asked)} of ${asked} questions; ${wrong} of ${found} others`,
    );
  }
  const answered = questions.filter(({ right }) => right.length > 0).length;
  row('search: first result right', `${firstRight} of ${answered}`, 'at least 95 %', firstRight >= BAR * answered);
  const what = `search: recall at 10, ${questions.length} questions over ${documents} results`;
  row(what, percent(all), `at least ${100 * BAR} %`, all >= BAR && questions.length >= 100);
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;

/** Indexes the archive as jobs of one workspace: { workspaceId, keys by job and number }. */
async function fill(db, index, jobs) {
  const workspaceId = randomUUID();
  const keys = new Map();
  const languages = ['de', 'en', 'es', 'fr', 'pt', 'sv', 'tr'];
  const timeCreated = new Date('2026-11-21T07:00:00Z');
  for (const documents of Object.values(jobs)) {
    const id = randomUUID();
    const usual = { state: 'completed', tag: '', batchId: null, priority: 5, rank: 4, mediaType: 'video', timeCreated };
    await db.manager.insert(JobEntity, columns({ id, workspaceId, ...usual }));
    await db.manager.insert(SearchFeedEntity, { id, workspaceId, state: 'done', languages });
    const job = { id, workspaceId, batchId: null, tag: '', timeCreated, round: 0 };
    const rows = documents.map(({ key, at, lasts, module: moduleId, texts }, seq) => {
      keys.set(`${id} ${seq}`, key);
      return {
        ...{
          key: { seq, paragraph: null },
          sourceIndex: 0,
          moduleId,
          type: 'result',
          timeStart: at,
          timeEnd: at + lasts,
        },
        ...{ moment: timeCreated, place: null, texts },
      };
    });
    await inTransaction(db, (manager) => index.replace(manager, job, rows));
  }
  return { workspaceId, keys };
}
