import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { DatasetImageEntity, TrainingEntity } from '@adit/database';
import { ModelRepository } from '@adit/inference';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { World } from '../contract/world.js';
import { Models } from '../models/models.js';

describe('trainings', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  }, 600_000);
  afterAll(() => world?.close());

  it('trainings take no name of a network, which analyses would look for in vain', async () => {
    const body = { source_dataset_id: await world.dataset(), output_model_name: 'face-embedding' };
    const answer = await world.ask('POST', '/api/v1/trainings/', body);
    expect([answer.status, answer.json()]).toMatchObject([409, { errors: [{ pointer: '/output_model_name' }] }]);
  });

  it('trainings of landmarks take no parameters of faces, and no place that does not exist', async () => {
    const { id } = (await world.ask('POST', '/api/v1/datasets/', { name: 'Town', type: 'landmark' })).json();
    const body = { source_dataset_id: id, output_model_name: 'town' };
    const answer = await world.ask('POST', '/api/v1/trainings/', { ...body, config: { min_face_size: 80 } });
    expect([answer.status, answer.json()]).toMatchObject([400, { errors: [{ pointer: '/config/min_face_size' }] }]);
    const field = { label: 'Palace', custom_fields: [{ latitude: 95, longitude: 12 }] };
    const { id: classId } = (await world.ask('POST', `/api/v1/datasets/${id}/classes/`, field)).json();
    const wrong = await world.ask('POST', '/api/v1/trainings/', body);
    expect([wrong.status, wrong.json().message]).toEqual([400, expect.stringContaining('Palace: latitude "95"')]);
    await world.ask('PATCH', `/api/v1/datasets/${id}/classes/${classId}/`, { custom_fields: [] });
    const training = await world.ask('POST', '/api/v1/trainings/', body);
    expect([training.status, training.json().config]).toEqual([200, {}]);
  });

  it('images of landmarks that an older build took for known are analysed', async () => {
    const { id } = (await world.ask('POST', '/api/v1/datasets/', { name: 'Old town', type: 'landmark' })).json();
    const { id: classId } = (await world.ask('POST', `/api/v1/datasets/${id}/classes/`, { label: 'Palace' })).json();
    const [workspace] = await world.gateway.db.query('SELECT workspace_id AS id FROM datasets WHERE id = $1', [id]);
    const image = randomUUID();
    const row = { id: image, workspaceId: workspace.id, datasetId: id, classId, storageKey: 'k', state: 'completed' };
    await world.gateway.db.manager.insert(DatasetImageEntity, row as Partial<DatasetImageEntity>);
    await world.ask('POST', '/api/v1/trainings/', { source_dataset_id: id, output_model_name: 'old-town' });
    const found = await world.gateway.db.manager.findOneByOrFail(DatasetImageEntity, { id: image });
    expect([found.state, found.fencingToken]).toEqual(['waiting', 1]);
  });

  it('images that another network of that name has seen are analysed again, and no others', async () => {
    const { db } = world.gateway;
    const { id } = (await world.ask('POST', '/api/v1/datasets/', { name: 'Team of old', type: 'face' })).json();
    const { id: classId } = (await world.ask('POST', `/api/v1/datasets/${id}/classes/`, { label: 'Ada' })).json();
    const [workspace] = await db.query('SELECT workspace_id AS id FROM datasets WHERE id = $1', [id]);
    const { pin } = world.gateway.app.get(ModelRepository).resolve('face-embedding');
    const seenBy = { former: ['e'.repeat(64)], present: [pin.digest], both: ['e'.repeat(64), pin.digest] };
    const images = Object.entries(seenBy).map(([digest, networks]) => ({ id: randomUUID(), digest, networks }));
    for (const { id: image, digest, networks } of images) {
      const row = { id: image, workspaceId: workspace.id, datasetId: id, classId, storageKey: 'k', state: 'completed' };
      await db.manager.insert(DatasetImageEntity, { ...row, digest } as Partial<DatasetImageEntity>);
      for (const [at, network] of networks.entries()) {
        await db.query(
          `INSERT INTO dataset_looks (workspace_id, digest, analysis_digest, look, time_created)
           VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
          [workspace.id, digest, network, { network: { name: pin.name, digest: network }, faces: [] }, at],
        );
      }
    }
    await world.ask('POST', '/api/v1/trainings/', { source_dataset_id: id, output_model_name: 'team-of-old' });
    const states = await Promise.all(
      images.map(async (image) => (await db.manager.findOneByOrFail(DatasetImageEntity, { id: image.id })).state),
    );
    expect(states).toEqual(['waiting', 'completed', 'completed']);
  });

  it('trainings of more images than fit into the memory of one are refused, with the number', async () => {
    const { db } = world.gateway;
    const { id } = (await world.ask('POST', '/api/v1/datasets/', { name: 'Everybody', type: 'face' })).json();
    const classes = ['taken', 'inactive', 'expired'].map((label) => ({ label, active: label !== 'inactive' }));
    for (const one of classes) await world.ask('POST', `/api/v1/datasets/${id}/classes/`, one);
    await db.query(
      `UPDATE dataset_classes SET images = 1000000, active_images = 1000000, expiration_date = CASE label WHEN 'expired' THEN now() END
        WHERE dataset_id = $1`,
      [id],
    );
    const body = { source_dataset_id: id, output_model_name: 'everybody' };
    const answer = await world.ask('POST', '/api/v1/trainings/', body);
    expect([answer.status, answer.json()]).toMatchObject([
      400,
      { errors: [{ pointer: '/source_dataset_id', code: 'too_many_images' }] },
    ]);
    // 2,048 bytes of a vector and 512 more each, and what a process takes.
    expect(answer.json().message).toContain(
      'A training of 1000000 images of 1 classes takes 2634 MiB of memory, and may take 512 MiB (ADIT_TRAINING_MEMORY_BYTES).',
    );
    await db.query('UPDATE dataset_classes SET active_images = 1000 WHERE dataset_id = $1', [id]);
    expect((await world.ask('POST', '/api/v1/trainings/', body)).status).toBe(200);
  });

  it('trainings are listed whole, the newest first, as in pages', async () => {
    const id = await world.training();
    await world.gateway.db.query(
      `INSERT INTO trainings SELECT r.* FROM trainings t, generate_series(1, 120) n,
         jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'seq', nextval(pg_get_serial_sequence('trainings', 'seq')), 'state', 'completed', 'model_changelog', 'run ' || n)) r
        WHERE t.id = $1`,
      [id],
    );
    const whole = (await world.ask('GET', '/api/v1/trainings/')).json<unknown[]>();
    const page = (await world.ask('GET', '/api/v1/trainings/?limit=1000')).json<{ total: number; data: unknown[] }>();
    expect(whole.length).toBeGreaterThan(120);
    expect(whole).toEqual(page.data);
    expect(page.total).toBe(whole.length);
    expect(whole[0]).toMatchObject({ output_model_changelog: 'run 120' });
    for (const [offset, limit] of [
      [0, 50],
      [7, 49],
      [3, 51],
      [10, 100],
      [whole.length - 50, 50],
      [whole.length - 2, 70],
    ] as const) {
      const part = await world.ask('GET', `/api/v1/trainings/?offset=${offset}&limit=${limit}`);
      const { data, next, ...rest } = part.json<{ data: unknown[]; next: string | null }>();
      expect(data).toEqual(whole.slice(offset, offset + limit));
      expect(rest).toMatchObject({ total: whole.length, offset, limit });
      expect(next === null).toBe(offset + limit >= whole.length);
    }
  });

  it('trainings are shown at once when the model that they made has gone since', async () => {
    const id = await world.training();
    const made = { state: 'completed', modelId: randomUUID(), modelVersion: 1, timeCompleted: new Date(0) } as const;
    await world.gateway.db.manager.update(TrainingEntity, { id }, made);
    const looked = jest.spyOn(world.gateway.app.get(Models, { strict: false }), 'list');
    const training = (await world.ask('GET', `/api/v1/trainings/${id}/`)).json();
    expect(training).toMatchObject({ state: 'completed', output_model: null });
    expect(looked).toHaveBeenCalledTimes(1);
  });
});
