import { elementAt, type ClassEvaluation, type FaceClustering } from '@adit/contracts';
import { inTransaction } from '@adit/database';
import { isWanted, updateHeld, type ClaimedTask } from '@adit/leases';
import type { DataSource, EntityManager } from 'typeorm';
import { clusterFaces, DEFAULT_LIMITS, usableFace, type LookedImage } from './cluster-faces.js';
import { FaceLook } from './look.js';

/** Compares the images of a class with each other, once each was looked at, and writes down what that gives. */
export async function evaluateClass(db: DataSource, task: ClaimedTask): Promise<void> {
  const classId = task.key.id;
  const images = await lookedImages(db.manager, classId);
  const type = await datasetType(db.manager, classId);
  const clusters = type === 'face' ? await clusterFaces(images) : [];
  const { result, gender } = type === 'face' ? summary(images, clusters) : { result: {}, gender: null };
  const faulty = clusters.filter((cluster) => cluster !== 'match').length;
  await inTransaction(db, async (manager) => {
    if (!(await isWanted(manager, task))) return;
    await manager.query(
      `UPDATE dataset_images i SET clustering = one.clustering, time_evaluated = now()
         FROM unnest($1::uuid[], $2::text[]) AS one(id, clustering)
        WHERE i.id = one.id AND i.clustering IS DISTINCT FROM one.clustering`,
      [clusters.map((_, at) => elementAt(images, at).id), clusters],
    );
    await updateHeld(
      manager,
      task,
      `state = 'completed', lease_until = NULL, error_msg = NULL, evaluated_images = $1, faulty_images = $2,
       evaluation_result = $3, gender = $4, time_evaluated = now()`,
      [images.length, faulty, JSON.stringify(result), gender],
    );
  });
}

/** The images of a class in their order, with what was seen in them. */
export async function lookedImages(manager: EntityManager, classId: string): Promise<LookedImage[]> {
  const rows: { id: string; digest: string | null; look: unknown }[] = await manager.query(
    `SELECT i.id, i.digest, l.look FROM dataset_images i
       LEFT JOIN LATERAL (
         SELECT look FROM dataset_looks WHERE workspace_id = i.workspace_id AND digest = i.digest
          ORDER BY time_created DESC LIMIT 1) l ON i.state = 'completed'
      WHERE i.class_id = $1 ORDER BY i.seq`,
    [classId],
  );
  return rows.map(({ id, digest, look }) => ({ id, digest, look: look === null ? null : FaceLook.parse(look) }));
}

async function datasetType(manager: EntityManager, classId: string): Promise<string | undefined> {
  const [row]: { type: string }[] = await manager.query(
    'SELECT d.type FROM dataset_classes c JOIN datasets d ON d.id = c.dataset_id WHERE c.id = $1',
    [classId],
  );
  return row?.type;
}

function summary(images: readonly LookedImage[], clusters: readonly FaceClustering[]) {
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
