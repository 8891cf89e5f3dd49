/** @needs servers */
import { openObjectStore } from '@adit/objects';
import { describeWith, uniqueName } from '@adit/testing';
import { expect, it } from '@jest/globals';
import { bucketFindings } from './doctor-objects.js';

await describeWith('minio', 'what the doctor says of a bucket', ({ minio }) => {
  it('the doctor says whether the bucket is there, is missing, or its server is away', async () => {
    const config = { driver: 'minio' as const, ...minio, bucket: uniqueName('bucket'), connectSeconds: 0 };
    expect(await bucketFindings(() => config)).toMatchObject([
      { state: 'bad', advice: expect.stringMatching(/no bucket/) },
    ]);
    await openObjectStore({ ...config, connectSeconds: 60 });
    expect(await bucketFindings(() => config)).toEqual([{ state: 'good', what: 'the object store answers' }]);
    const away = { ...config, endpoint: 'http://127.0.0.1:1' };
    expect(await bucketFindings(() => away)).toMatchObject([{ state: 'bad', what: 'object store' }]);
  });
});
