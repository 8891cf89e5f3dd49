import { elementAt, type ClassEvaluation, type FaceClustering } from '@adit/contracts';
import { inTransaction } from '@adit/database';
import { isWanted, updateHeld, type ClaimedTask } from '@adit/leases';
import type { DataSource, EntityManager } from 'typeorm';
import type { z } from 'zod';
import { clusterFaces, DEFAULT_LIMITS, usableFace, type LookedImage } from './cluster-faces.js';
import { lookQuery, MainFaces, PlaceLook } from './look.js';

/** Images whose looks are read together. */
const PAGE = 500;

/** Compares the images of a class with each other, once each was looked at, and writes down what that gives. */
export async function evaluateClass(db: DataSource, task: ClaimedTask): Promise<void> {
  const classId = task.key.id;
  const type = await datasetType(db.manager, classId);
  const { ids, clusters, result, gender } =
    type === 'face'
      ? await facesOf(await looksOf(db.manager, classId, MainFaces))
      : placesOf(await looksOf(db.manager, classId, PlaceLook));
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

interface Looked<Look> {
  id: string;
  digest: string | null;
  /** Null when the picture could not be read. */
  look: Look | null;
}

/** The images of a class in their order, with what was seen in them. One that comes meanwhile asks for all of it anew. */
async function looksOf<Look>(
  manager: EntityManager,
  classId: string,
  schema: z.ZodType<Look>,
): Promise<Looked<Look>[]> {
  const looked: Looked<Look>[] = [];
  for (let after = '0'; ;) {
    const rows: { id: string; seq: string; digest: string | null; look: unknown }[] = await manager.query(
      `SELECT i.id, i.seq, i.digest, l.look FROM dataset_images i JOIN datasets d ON d.id = i.dataset_id
         LEFT JOIN LATERAL (${lookQuery('d.type')}) l ON i.state = 'completed'
        WHERE i.class_id = $1 AND i.seq > $2 ORDER BY i.seq LIMIT ${PAGE}`,
      [classId, after],
    );
    for (const { id, digest, look } of rows) {
      looked.push({ id, digest, look: look === null ? null : schema.parse(look) });
    }
    if (rows.length < PAGE) return looked;
    after = elementAt(rows, -1).seq;
  }
}

interface Evaluated {
  ids: string[];
  clusters: (FaceClustering | null)[];
  result: ClassEvaluation;
  gender: string | null;
}

async function facesOf(images: readonly LookedImage[]): Promise<Evaluated> {
  const clusters = await clusterFaces(images);
  return { ids: images.map(({ id }) => id), clusters, ...summary(images, clusters) };
}

/** Views of one place may have nothing in common: only what cannot be read, and what is there twice, is of no use. */
function placesOf(images: readonly Looked<PlaceLook>[]): Evaluated {
  const digests = new Set<string>();
  const clusters = images.map(({ digest, look }) => {
    if (look === null) return 'unreadable';
    if (digest !== null && digests.has(digest)) return 'duplicate';
    if (digest !== null) digests.add(digest);
    return null;
  });
  return { ids: images.map(({ id }) => id), clusters, result: {}, gender: null };
}

async function datasetType(manager: EntityManager, classId: string): Promise<string | undefined> {
  const [row]: { type: string }[] = await manager.query(
    'SELECT d.type FROM dataset_classes c JOIN datasets d ON d.id = c.dataset_id WHERE c.id = $1',
    [classId],
  );
  return row?.type;
}

function summary(
  images: readonly LookedImage[],
  clusters: readonly FaceClustering[],
): Pick<Evaluated, 'result' | 'gender'> {
  const faces = images.flatMap(({ look }, at) => {
    if (clusters[at] !== 'match' && clusters[at] !== 'duplicate') return [];
    const found = usableFace(look, DEFAULT_LIMITS);
    return 'face' in found ? [found.face] : [];
  });
  const known = faces.flatMap(({ female }) => (female === null ? [] : [female]));
  const gender = known.length === 0 ? null : mean(known) >= 0.5 ? 'female' : 'male';
  const yaws = faces.flatMap(({ yaw }) => yaw ?? []);
  const pitches = faces.flatMap(({ pitch }) => pitch ?? []);
  const result: ClassEvaluation =
    yaws.length === 0 || pitches.length === 0
      ? {}
      : { attribute_statistics: { head_pose: { yaw_mean_std: meanStd(yaws), pitch_mean_std: meanStd(pitches) } } };
  return { result, gender };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function meanStd(values: readonly number[]): number[] {
  const middle = mean(values);
  const deviation = Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
  return [middle, deviation].map((value) => Number(value.toFixed(2)));
}
