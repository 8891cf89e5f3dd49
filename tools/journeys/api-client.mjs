// Tasks of a program that uses the API, by the TypeScript client and by bare HTTP.
import assert from 'node:assert/strict';
import { join } from 'node:path';

const photoOf = (place) => join(place.folder, 'archive/1961/photo.jpg');
const order = (place, tag) => ({ sources: [photoOf(place)], modules: { face_recognition: {} }, tag });

/** A request by hand; answers status and body. */
async function ask(place, method, path, body) {
  const reply = await fetch(`${place.url}/api${path}`, {
    method,
    headers: { authorization: `Key ${place.key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: reply.status, body: await reply.json() };
}

export const apiClient = [
  {
    task: 'Post a photo and read what was found',
    async steps(step, place) {
      const { id } = await step(place.client.jobs.create(order(place, 'first')));
      assert.equal((await step(place.client.jobs.wait(id))).state, 'completed');
      const results = [];
      for await (const result of place.client.jobs.detailedResults(id)) results.push(result);
      assert.ok(results.length > 0 && results.every(({ source_name: name }) => name === 'photo.jpg'));
    },
  },
  {
    task: 'Learn what a job would do before it is posted',
    async steps(step, place) {
      const { status, body } = await step(ask(place, 'POST', '/v1/jobs/dry-run/', order(place, 'never')));
      assert.equal(status, 200);
      assert.ok('face_recognition' in body.modules, JSON.stringify(body));
      assert.equal((await ask(place, 'GET', '/v1/jobs/?tag=never')).body.total, 0);
    },
  },
  {
    task: 'Be told of a query parameter that there is not',
    async steps(step, place) {
      const { status, body } = await step(ask(place, 'GET', '/v1/jobs/?ofset=3'));
      assert.equal(status, 400);
      assert.match(body.detail, /did you mean offset\?/);
      assert.equal(body.type, 'urn:adit:error:validation');
    },
  },
  {
    task: 'Go through all jobs and delete them on the way, without missing one',
    async steps(step, place) {
      const made = await Promise.all(Array.from({ length: 12 }, () => place.client.jobs.create(order(place, 'many'))));
      await Promise.all(made.map(({ id }) => place.client.jobs.wait(id)));
      const deleted = await step(
        (async () => {
          let count = 0;
          for await (const { id } of place.client.jobs.list({ tag: 'many', limit: 5 })) {
            await place.client.jobs.delete(id);
            count += 1;
          }
          return count;
        })(),
      );
      assert.equal(deleted, made.length);
    },
  },
  {
    task: 'Post the same request twice and have one job',
    async steps(step, place) {
      const headers = { 'idempotency-key': 'journey-1' };
      const post = () => place.client.request('POST /v1/jobs/', { body: order(place, 'twice'), headers });
      const [first, second] = [await step(post()), await step(post())];
      assert.equal(first.id, second.id);
    },
  },
];
