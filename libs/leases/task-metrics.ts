import type { DataSource } from 'typeorm';
import type { LeasedTable } from './leased-rows.js';
import {
  CLIPS,
  DATASET_CLASSES,
  DATASET_ERASURES,
  DATASET_IMAGES,
  DATASET_IMPORTS,
  EXPORTS,
  JOB_ENDINGS,
  REPORTS,
  SEARCH_FEED,
  TRAININGS,
} from './leased-tables.js';
import { datasetImages, tasks } from './metrics.js';

/** Tasks without messages: only their rows show progress. */
const TASKS = [
  ...[REPORTS, JOB_ENDINGS, EXPORTS, CLIPS, DATASET_ERASURES, DATASET_IMPORTS],
  ...[...Object.values(DATASET_IMAGES), DATASET_CLASSES, TRAININGS, SEARCH_FEED],
];

/** Adds gauges of tasks, read from the database when metrics are scraped. Several calls register them once. */
export function observeTasks(db: Pick<DataSource, 'query'>): void {
  tasks(async (gauge) => {
    for (const { task, waiting, running } of await taskCounts(db)) {
      gauge.set({ task, state: 'waiting' }, waiting);
      gauge.set({ task, state: 'running' }, running);
    }
  });
  datasetImages(async (gauge) => {
    const rows: ImagesRow[] = await db.query(COUNT_IMAGES);
    for (const { family, open } of rows) gauge.set({ family }, open);
  });
}

/** Open tasks of all workspaces, by their kind. */
export function taskCounts(db: Pick<DataSource, 'query'>): Promise<TaskCount[]> {
  return db.query(COUNT);
}

export interface TaskCount {
  task: string;
  /** Those that somebody could begin now. */
  waiting: number;
  running: number;
}

interface ImagesRow {
  family: string;
  open: number;
}

/** SQL over the partial indexes of open tasks. */
const COUNT = `
  SELECT task, sum(waiting)::int AS waiting, sum(running)::int AS running
    FROM (${TASKS.map(counted).join(' UNION ALL ')}) AS tables GROUP BY task`;

/** Images being analysed count until that has ended, so that their service is not scaled down meanwhile. */
const COUNT_IMAGES = Object.entries(DATASET_IMAGES)
  .map(
    ([family, { name, open, live }]) =>
      `SELECT '${family}' AS family, count(*)::int AS open FROM ${name} WHERE ${open} AND ${live}`,
  )
  .join(' UNION ALL ');

function counted({ name, open, live, free, leaseUntil }: LeasedTable): string {
  return `SELECT '${name}' AS task, count(*) FILTER (WHERE ${free}) AS waiting,
    count(*) FILTER (WHERE state = 'processing' AND ${leaseUntil} > now()) AS running FROM ${name} WHERE ${open} AND ${live}`;
}
