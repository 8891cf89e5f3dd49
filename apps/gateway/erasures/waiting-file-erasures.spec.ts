/** @needs ffmpeg, weights */
import { createHash, randomUUID } from 'node:crypto';
import type { Erasure } from '@adit/contracts';
import { JobEntity, JobModuleEntity, JobSourceEntity } from '@adit/database';
import { JobCommands, jobPrefix } from '@adit/jobs';
import { describe, expect, it } from '@jest/globals';
import { multipart } from '../contract/multipart.js';
import { Erasures } from './erasures.js';
import {
  useErasureWorld,
  SECRET,
  world,
  objects,
  db,
  workspaceId,
  newUri,
  placesOf,
  observed,
  filed,
  heard,
  posted,
  receipt,
  asker,
  deleting,
  goOn,
  segmentsOf,
  uriOf,
} from './testing/file-erasure-world.js';

useErasureWorld();

/** Asked for and done by these, without the gateway. */
async function erasedBy(erasures: Erasures, uri: string): Promise<Erasure> {
  const id = await erasures.begin({ file_uri: uri }, asker());
  await erasures.finish();
  return receipt({ id });
}

/** Its job ends, for the first time or once more. */
const ended = (jobId: string, state: 'completed' | 'stopped' = 'completed') =>
  db().manager.update(JobEntity, { id: jobId }, { state, timeCompleted: new Date() });

describe('erasures of a file that wait', () => {
  it('an erasure waits for a running job, on the file or on the same bytes, and erases its results', async () => {
    const uri = newUri();
    const running = await heard(uri);
    const copy = await heard(newUri());
    const done = await heard(uri);
    const { manager } = db();
    await manager.update(JobSourceEntity, { jobId: copy.jobId }, { mediaDigest: running.digest });
    await observed(running.digest);
    const live = { state: 'processing' as const, timeCompleted: null };
    for (const { jobId } of [running, copy]) await manager.update(JobEntity, { id: jobId }, live);
    const asked = await posted(uri);
    expect(asked).toMatchObject({ state: 'processing', counts: { segments: 2, observations: 0 } });
    // It goes on with what it has.
    expect([await segmentsOf(done.jobId), await segmentsOf(running.jobId)]).toMatchObject([[], [{}, {}]]);
    await ended(running.jobId, 'stopped');
    await goOn();
    expect(await receipt(asked)).toMatchObject({ state: 'processing', counts: { segments: 4, observations: 0 } });
    await ended(copy.jobId);
    await goOn();
    expect(await receipt(asked)).toMatchObject({
      state: 'completed',
      counts: { segments: 4, observations: 1, media: 1 },
    });
    await posted(await uriOf(copy.jobId));
    expect(await placesOf(SECRET)).toEqual([]);
  });

  it('results of a job that is retried before the end are erased', async () => {
    const uri = newUri();
    const [retried, running] = [await heard(uri), await heard(uri)];
    const { manager } = db();
    await manager.update(JobEntity, { id: running.jobId }, { state: 'processing', timeCompleted: null });
    await manager.update(JobEntity, { id: retried.jobId }, { state: 'stopped' });
    await manager.update(JobModuleEntity, { jobId: retried.jobId }, { state: 'stopped' });
    const asked = await posted(uri);
    expect(await segmentsOf(retried.jobId)).toEqual([]);
    await world.gateway.app.get(JobCommands).retry(workspaceId(), retried.jobId);
    await ended(running.jobId);
    await goOn();
    expect(await receipt(asked)).toMatchObject({ state: 'processing' });
    // It finds the same again, and leaves its files.
    await filed(retried.jobId, 'results.json');
    await ended(retried.jobId);
    await goOn();
    expect(await receipt(asked)).toMatchObject({ state: 'completed', counts: { artifacts: 7 } });
    expect(await placesOf(SECRET)).toEqual([]);
  });

  it('an erasure waits for the rest of a deleted job', async () => {
    const uri = newUri();
    const { jobId } = await heard(uri);
    const commands = world.gateway.app.get(JobCommands);
    const dying = Object.assign(Object.create(commands) as JobCommands, { eraseSome: () => Promise.resolve(false) });
    await dying.delete(workspaceId(), jobId);
    const asked = await posted(uri);
    expect(asked).toMatchObject({ state: 'processing' });
    while (!(await commands.eraseSome(jobId)));
    await goOn();
    expect(await receipt(asked)).toMatchObject({ state: 'completed' });
    // Its objects are noted with its deletion.
    await objects.deletePrefix(jobPrefix(jobId));
    expect(await placesOf(SECRET)).toEqual([]);
  });

  it('erasures last while anything of the file’s bytes is cached', async () => {
    const uri = newUri();
    const { digest } = await heard(uri);
    let made = 0;
    const late = deleting(async (key) => {
      // Observations of an attempt that was about to end.
      if (made++ === 0) await observed(digest);
      return objects.delete(key);
    });
    const done = await erasedBy(new Erasures(db(), late), uri);
    expect(made).toBeGreaterThan(0);
    expect(done).toMatchObject({ state: 'completed', counts: { observations: 1, media: 1 } });
    expect(await placesOf(SECRET)).toEqual([]);
  });

  it('erasures last while the object store keeps something, as a locking one does', async () => {
    const uri = newUri();
    await heard(uri);
    const begun = await erasedBy(
      new Erasures(
        db(),
        deleting(() => Promise.resolve(false)),
      ),
      uri,
    );
    expect(begun).toMatchObject({ state: 'processing', counts: { artifacts: 3 } });
    await goOn();
    expect(await receipt(begun)).toMatchObject({ state: 'completed' });
  });

  it('an erasure of a file without a job erases the cache of its bytes, and says that there is nothing else', async () => {
    const text = randomUUID();
    const file = { filename: `${text}.txt`, contentType: 'text/plain', bytes: Buffer.from(text) };
    const { payload, headers } = multipart({ file });
    const { url } = (await world.ask('POST', '/api/v1/storage/?folder=/erased', payload, headers)).json<{
      url: string;
    }>();
    await observed(createHash('sha256').update(text).digest('hex'));
    expect(await posted(url)).toMatchObject({ state: 'completed', counts: { segments: 0, observations: 1 } });
    expect(await placesOf(SECRET)).toEqual([]);
    const unknown = await posted(newUri());
    expect(unknown.state).toBe('completed');
    expect(Object.values(unknown.counts).every((count) => count === 0)).toBe(true);
  });
});
