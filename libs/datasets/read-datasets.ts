import { isoTime, keysOf, type Dataset, type DatasetIssue, type FaceClustering } from '@adit/contracts';
import { columnSelection, columnsOf, DatasetEntity } from '@adit/database';
import type { EntityManager } from 'typeorm';
import { ISSUE_MESSAGES, storageUri } from './present.js';

/** Images named per reason. */
const MAX_IMAGES = 20;

interface Totals {
  classes: number;
  activeClasses: number;
  images: number;
  activeImages: number;
  evaluatedImages: number;
  faultyImages: number;
  emptyClasses: number;
  changesOfClasses: number;
  timeOfClasses: Date | null;
  genders: Record<string, number> | null;
  previews: string[] | null;
}
type DatasetRow = DatasetEntity & Totals;

interface FaultRow {
  datasetId: string;
  clustering: Exclude<FaceClustering, 'match'>;
  count: number;
  images: { class_id: string; image_id: string }[];
}

/** SQL: totals of a dataset, computed on read over its classes, which maintain their image counts. */
const TOTALS = `
  SELECT count(*)::int AS classes, (count(*) FILTER (WHERE c.active))::int AS "activeClasses",
         coalesce(sum(c.images), 0)::int AS images,
         coalesce(sum(c.active_images) FILTER (WHERE c.active), 0)::int AS "activeImages",
         coalesce(sum(c.evaluated_images), 0)::int AS "evaluatedImages",
         coalesce(sum(c.faulty_images), 0)::int AS "faultyImages",
         (count(*) FILTER (WHERE c.active AND c.active_images = 0))::int AS "emptyClasses",
         coalesce(sum(c.changes), 0)::int AS "changesOfClasses", max(c.time_updated) AS "timeOfClasses",
         jsonb_strip_nulls(jsonb_build_object(
           'female', nullif(count(*) FILTER (WHERE c.gender = 'female'), 0),
           'male', nullif(count(*) FILTER (WHERE c.gender = 'male'), 0))) AS genders
    FROM dataset_classes c WHERE c.dataset_id = d.id AND c.time_deleted IS NULL`;

const PREVIEWS = `
  SELECT json_agg(i.storage_key ORDER BY c.seq) AS previews
    FROM (SELECT id, seq FROM dataset_classes
           WHERE dataset_id = d.id AND time_deleted IS NULL ORDER BY seq LIMIT 3) c
    JOIN LATERAL (SELECT storage_key FROM dataset_images WHERE class_id = c.id ORDER BY seq LIMIT 1) i ON true`;

/** Reads the datasets of a workspace, the oldest first. */
export async function readDatasets(
  manager: EntityManager,
  workspaceId: string,
  ids: readonly string[],
): Promise<Dataset[]> {
  const rows: DatasetRow[] = await manager.query(
    `SELECT ${columnSelection(columnsOf(DatasetEntity), 'd')}, totals.*, preview.previews
       FROM datasets d CROSS JOIN LATERAL (${TOTALS}) totals CROSS JOIN LATERAL (${PREVIEWS}) preview
      WHERE d.workspace_id = $1 AND d.time_deleted IS NULL AND d.id = ANY($2::uuid[])
      ORDER BY d.seq`,
    [workspaceId, ids],
  );
  const faults = await faultsOf(manager, rows);
  return rows.map((row) =>
    present(
      row,
      faults.filter(({ datasetId }) => datasetId === row.id),
    ),
  );
}

async function faultsOf(manager: EntityManager, rows: readonly DatasetRow[]): Promise<FaultRow[]> {
  const ids = rows.filter(({ faultyImages }) => faultyImages > 0).map(({ id }) => id);
  if (ids.length === 0) return [];
  return manager.query(
    `SELECT i.dataset_id AS "datasetId", i.clustering, count(*)::int AS count,
            to_json((array_agg(json_build_object('class_id', i.class_id, 'image_id', i.id) ORDER BY i.seq))[1:$2]) AS images
       FROM dataset_images i JOIN dataset_classes c ON c.id = i.class_id AND c.time_deleted IS NULL
      WHERE i.dataset_id = ANY($1::uuid[]) AND i.clustering <> 'match'
      GROUP BY i.dataset_id, i.clustering`,
    [ids, MAX_IMAGES],
  );
}

function present(row: DatasetRow, faults: readonly FaultRow[]): Dataset {
  const reasons = reasonsOf(row, faults);
  const { id, name, description, type } = row;
  const changed =
    row.timeOfClasses !== null && row.timeOfClasses > row.timeUpdated ? row.timeOfClasses : row.timeUpdated;
  const genders = row.genders ?? {};
  return {
    ...{ id, name, description, type },
    version: row.changes + row.changesOfClasses,
    time_created: isoTime(row.timeCreated),
    time_updated: isoTime(changed),
    number_of_classes: row.classes,
    number_of_active_classes: row.activeClasses,
    number_of_images: row.images,
    number_of_active_images: row.activeImages,
    preview_images: (row.previews ?? []).map(storageUri),
    evaluation_result: Object.keys(genders).length === 0 ? {} : { gender_statistics: genders },
    evaluation_state: row.images === 0 ? 0 : Math.min(1, row.evaluatedImages / row.images),
    issues: {
      has_error: reasons.some(({ level }) => level === 'error'),
      has_warning: reasons.some(({ level }) => level === 'warning'),
      reasons,
    },
  };
}

function reasonsOf(row: DatasetRow, faults: readonly FaultRow[]): DatasetIssue[] {
  const reasons: DatasetIssue[] = [];
  if (row.images > 0 && row.evaluatedImages === row.images && row.faultyImages === row.images) {
    const message = 'No image of this dataset can be used: a training would fail.';
    reasons.push({ level: 'error', code: 'nothing_usable', message, number_of_images: row.images, images: [] });
  }
  for (const code of keysOf(ISSUE_MESSAGES)) {
    const fault = faults.find(({ clustering }) => clustering === code);
    if (fault === undefined) continue;
    const { count, images } = fault;
    reasons.push({ level: 'warning', code, message: ISSUE_MESSAGES[code], number_of_images: count, images });
  }
  if (row.emptyClasses > 0) {
    const message = `${row.emptyClasses} active ${row.emptyClasses === 1 ? 'class has' : 'classes have'} no active image; trainings leave them out.`;
    reasons.push({ level: 'warning', code: 'class_without_images', message, number_of_images: 0, images: [] });
  }
  return reasons;
}
