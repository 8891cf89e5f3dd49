import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { TrainingEntity } from '@adit/database';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { World } from '../contract/world.js';
import { Models } from '../models/models.js';

describe('trainings', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  }, 600_000);
  afterAll(() => world?.close());

  it('take no name of a network, which analyses would look for in vain', async () => {
    const body = { source_dataset_id: await world.dataset(), output_model_name: 'face-embedding' };
    const answer = await world.ask('POST', '/api/v1/trainings/', body);
    expect([answer.status, answer.json()]).toMatchObject([409, { errors: [{ pointer: '/output_model_name' }] }]);
  });

  it('are shown at once when the model that they made has gone since', async () => {
    const id = await world.training();
    const made = { state: 'completed', modelId: randomUUID(), modelVersion: 1, timeCompleted: new Date(0) } as const;
    await world.gateway.db.manager.update(TrainingEntity, { id }, made);
    const looked = jest.spyOn(world.gateway.app.get(Models, { strict: false }), 'list');
    const training = (await world.ask('GET', `/api/v1/trainings/${id}/`)).json();
    expect(training).toMatchObject({ state: 'completed', output_model: null });
    expect(looked).toHaveBeenCalledTimes(1);
  });
});
