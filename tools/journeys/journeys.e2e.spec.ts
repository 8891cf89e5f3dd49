/** @needs weights, build, time */
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { openPlace } from './place.mjs';
import { doTask, USERS } from './run.mjs';

let place: Awaited<ReturnType<typeof openPlace>>;
beforeAll(async () => {
  place = await openPlace();
}, 600_000);
afterAll(() => place?.close());

describe.each(Object.entries(USERS))('a user: %s', (_, tasks) => {
  it.each(tasks)('$task', async (task) => {
    await doTask(task, place);
  });
});
