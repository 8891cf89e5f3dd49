import { createHash } from 'node:crypto';
import { elementAt } from '@adit/contracts';
import { inTransaction } from '@adit/database';
import { isWanted, updateHeld, type ClaimedTask } from '@adit/leases';
import type { DataSource, EntityManager } from 'typeorm';
import type { ClassThread } from './class-thread.js';
import { classFace, type ClassFace, type ComparedClass } from './cluster-faces.js';
import { FaceInference, inferenceQuery } from './inference.js';

/** Images that are read together. */
const PAGE = 500;

/**
 * Compares the images of a class once all are analysed, and stores the result. Faces are compared in `thread`; known
 * ones are not read again.
 */
export async function evaluateClass(db: DataSource, task: ClaimedTask, thread: ClassThread): Promise<void> {
  const classId = task.key.id;
  const type = await datasetType(db.manager, classId);
  const { ids, clusters, result, gender } =
    type === 'face' ? await facesOf(db.manager, classId, thread) : await placesOf(db.manager, classId);
  const faulty = clusters.filter((cluster) => cluster !== null && cluster !== 'match').length;
  await inTransaction(db, async (manager) => {
    if (!(await isWanted(manager, task))) return;
    await manager.query(
      `UPDATE dataset_images i SET clustering = one.clustering, time_evaluated = now()
         FROM unnest($1::uuid[], $2::text[]) AS one(id, clustering)
        WHERE i.id = one.id AND i.clustering IS DISTINCT FROM one.clustering`,
      [ids, clusters],
    );
    await updateHeld(
      manager,
      task,
      `state = 'completed', lease_until = NULL, error_msg = NULL, evaluated_images = $1, faulty_images = $2,
       evaluation_result = $3, gender = $4, time_evaluated = now()`,
      [ids.length, faulty, JSON.stringify(result), gender],
    );
  });
}

interface Evaluated extends Omit<ComparedClass, 'clusters'> {
  ids: string[];
  clusters: (ComparedClass['clusters'][number] | null)[];
}

interface ImageRow {
  id: string;
  seq: string;
  digest: string | null;
  /** Analysis whose result exists; null when the picture could not be read. */
  analysis: string | null;
}

async function facesOf(manager: EntityManager, classId: string, thread: ClassThread): Promise<Evaluated> {
  let known = thread.known(classId);
  let hash = createHash('sha256');
  let ids: string[] = [];
  let after = '0';
  if (known !== null) {
    const { rows } = await imagesOf<ImageRow>(manager, classId, { columns: '', after, most: known.count });
    for (const row of rows) hash.update(keyOf(row));
    if (rows.length === known.count && hash.copy().digest('hex') === known.digest) {
      ids = rows.map(({ id }) => id);
      after = elementAt(rows, -1).seq;
    } else {
      known = null;
      hash = createHash('sha256');
    }
  }
  const faces: ClassFace[] = [];
  for (let isLast = false; !isLast;) {
    const page = await imagesOf<ImageRow & { inference: unknown }>(manager, classId, {
      columns: ', l.look AS inference',
      after,
      most: PAGE,
    });
    for (const { inference, ...row } of page.rows) {
      // The digest covers exactly the compared data: a later change requires comparing everything anew.
      hash.update(keyOf(row));
      ids.push(row.id);
      faces.push(classFace(inference === null ? null : FaceInference.parse(inference), row.digest));
      after = row.seq;
    }
    isLast = page.isLast;
  }
  const all = { count: ids.length, digest: hash.digest('hex') };
  return { ids, ...(await thread.compare(classId, { known, faces, all })) };
}

/** The result for a picture is determined by its bytes and the analysis. */
function keyOf({ digest, analysis }: ImageRow): string {
  return `${digest} ${analysis}\n`;
}

/** Views of one place may be dissimilar, so only unreadable and duplicate ones are unusable. */
async function placesOf(manager: EntityManager, classId: string): Promise<Evaluated> {
  const { rows } = await imagesOf<ImageRow>(manager, classId, { columns: '', after: '0', most: null });
  const digests = new Set<string>();
  const clusters = rows.map(({ digest, analysis }) => {
    if (analysis === null) return 'unreadable';
    if (digest !== null && digests.has(digest)) return 'duplicate';
    if (digest !== null) digests.add(digest);
    return null;
  });
  return { ids: rows.map(({ id }) => id), clusters, result: {}, gender: null };
}

/**
 * Reads the images of a class in order, with their state and `columns` of their result. A class has a limited number.
 */
async function imagesOf<Row extends ImageRow>(
  manager: EntityManager,
  classId: string,
  { columns, after, most }: { columns: string; after: string; most: number | null },
): Promise<{ rows: Row[]; isLast: boolean }> {
  const rows: Row[] = await manager.query(
    `SELECT i.id, i.seq, i.digest, l.analysis${columns} FROM dataset_images i JOIN datasets d ON d.id = i.dataset_id
       LEFT JOIN LATERAL (${inferenceQuery('d.type')}) l ON i.state = 'completed'
      WHERE i.class_id = $1 AND i.seq > $2 ORDER BY i.seq LIMIT $3`,
    [classId, after, most],
  );
  return { rows, isLast: rows.length < (most ?? Infinity) };
}

async function datasetType(manager: EntityManager, classId: string): Promise<string | undefined> {
  const [row]: { type: string }[] = await manager.query(
    'SELECT d.type FROM dataset_classes c JOIN datasets d ON d.id = c.dataset_id WHERE c.id = $1',
    [classId],
  );
  return row?.type;
}
