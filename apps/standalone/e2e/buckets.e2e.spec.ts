/** @needs ffmpeg, weights, build, servers */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { StorageCredentials, type Job } from '@adit/contracts';
import { describeWith, pdfDocument, RawBucket, sampleMedia, uniqueName } from '@adit/testing';
import { z } from 'zod';
import { EngineUnderTest } from './engine-under-test.js';

const { faces } = sampleMedia();

await describeWith('minio', 'media in a bucket of others', ({ minio }) => {
  let engine: EngineUnderTest;
  let bucket: RawBucket;
  let id: string;
  const credentials = () => ({
    ...{ bucket: bucket.name, endpoint: minio.endpoint, region: 'us-east-1' },
    ...{ access_key: minio.accessKey, secret_key: minio.secretKey },
  });
  const mined = async (...keys: string[]): Promise<Job> => {
    const sources = keys.map((key) => `s3://${bucket.name}/${key}`);
    return engine.api.ended((await engine.api.post({ sources, modules: { face_recognition: {} } })).id);
  };

  beforeAll(async () => {
    const env = { ADIT_ALLOW_HTTP: 'true', ADIT_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' };
    engine = await EngineUnderTest.start({ localRoots: [], env });
    bucket = await RawBucket.make(minio, uniqueName('archive'));
    const photo = await readFile(faces['SeanConnery'] ?? '');
    await bucket.put('photos/Sean Connery (1).jpg', photo);
    await bucket.put('dossier.pdf', pdfDocument([{ pictures: [{ jpeg: photo, left: 60, bottom: 300, width: 400 }] }]));
    ({ id } = await engine.api.call(StorageCredentials, 'POST', '/storage-credentials/', credentials()));
  });
  afterAll(() => engine?.close());

  it('is mined, pictures and documents alike', async () => {
    const picture = await mined('photos/Sean%20Connery%20(1).jpg');
    expect(picture).toMatchObject({ state: 'completed', media_type: 'image', errors: [] });
    expect((await engine.api.segments(picture.id)).length).toBe(1);
    expect(await mined('dossier.pdf')).toMatchObject({ state: 'completed', media_type: 'pdf', errors: [] });
  });

  it('is named where its store refuses it, and no secret with it', async () => {
    const missing = await mined('none.jpg');
    expect([missing.state, JSON.stringify(missing.errors)]).toEqual(['failed', expect.stringContaining('NoSuchKey')]);
    const wrong = { ...credentials(), secret_key: 'another-secret' };
    await engine.api.call(StorageCredentials, 'PUT', `/storage-credentials/${id}/`, wrong);
    const refused = await mined('dossier.pdf');
    expect([refused.state, JSON.stringify(refused.errors)]).toEqual([
      'failed',
      expect.stringContaining('SignatureDoesNotMatch'),
    ]);
    const log = await engine.log();
    for (const secret of [minio.secretKey, 'another-secret']) {
      expect(JSON.stringify([missing, refused])).not.toContain(secret);
      expect(log).not.toContain(secret);
    }
    await engine.api.call(z.object({ message: z.string() }), 'DELETE', `/storage-credentials/${id}/`);
  });
});
