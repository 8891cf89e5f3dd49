import type { DataSource } from 'typeorm';
import type { LeasedTable } from './leased-rows.js';
import {
  DATASET_CLASSES,
  DATASET_ERASURES,
  DATASET_IMAGES,
  DATASET_IMPORTS,
  EXPORTS,
  JOB_ENDINGS,
  REPORTS,
  TRAININGS,
} from './leased-tables.js';
import { datasetImages, tasks } from './metrics.js';

/** Work that no message asks for: whether somebody does it shows in its rows alone. */
const TASKS = [
  ...[REPORTS, JOB_ENDINGS, EXPORTS, DATASET_ERASURES, DATASET_IMPORTS],
  ...[...Object.values(DATASET_IMAGES), DATASET_CLASSES, TRAININGS],
];

/** Adds gauges of tasks, read from the database when the metrics page is asked for. Any number of calls adds them once. */
export function observeTasks(db: Pick<DataSource, 'query'>): void {
  tasks(async (gauge) => {
    const rows: Row[] = await db.query(COUNT);
    for (const { task, waiting, running } of rows) {
      gauge.set({ task, state: 'waiting' }, waiting);
      gauge.set({ task, state: 'running' }, running);
    }
  });
  datasetImages(async (gauge) => {
    const rows: ImagesRow[] = await db.query(COUNT_IMAGES);
    for (const { family, open } of rows) gauge.set({ family }, open);
  });
}

interface Row {
  task: string;
  waiting: number;
  running: number;
}

interface ImagesRow {
  family: string;
  open: number;
}

/** Over the partial indexes of what is open. */
const COUNT = `
  SELECT task, sum(waiting)::int AS waiting, sum(running)::int AS running
    FROM (${TASKS.map(counted).join(' UNION ALL ')}) AS tables GROUP BY task`;

/** What is looked at counts until that has ended: whoever does it is not taken away meanwhile. */
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
