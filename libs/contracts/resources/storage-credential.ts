import { z } from 'zod';
import { pageOf } from '../values/pagination.js';
import { IsoTime } from '../values/time.js';

/** Names of buckets as S3 allows them: they are a part of host names. */
const BUCKET = /^[a-z0-9]+(?:(?:\.|-+)[a-z0-9]+)*$/;
export const BucketName = z.string().min(3).max(63).regex(BUCKET);

/** What stands in a header as it is, where commas, slashes and equals signs separate. */
const ACCESS_KEY = /^[A-Za-z0-9_.:@+-]{1,128}$/;

const bucket = BucketName.describe('Bucket that they open, as in `s3://bucket/key`');
const region = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,64}$/)
  .describe('Region that requests are signed for');
const accessKey = z.string().describe('Access key, the public half of the credentials');
const pathStyle = z
  .boolean()
  .describe(
    'true: the bucket is in the path, `https://host/bucket/key`; false: in the host name, `https://bucket.host/key`',
  );

/** POST and PUT /v1/storage-credentials/. */
export const StorageCredentialsRequest = z.strictObject({
  bucket,
  endpoint: z
    .url({ protocol: /^https?$/ })
    .max(1024)
    .describe('Scheme, host and port of the store, such as `https://s3.eu-central-1.amazonaws.com`'),
  region: region.default('us-east-1'),
  access_key: accessKey.regex(ACCESS_KEY),
  secret_key: z.string().min(1).max(256).describe('Secret key; stored encrypted, and never shown'),
  path_style: pathStyle.default(true),
});
export type StorageCredentialsRequest = z.infer<typeof StorageCredentialsRequest>;

/** What opens one bucket of an S3 store. */
export const StorageCredentials = z.strictObject({
  id: z.uuid().describe('Id of the credentials'),
  bucket,
  endpoint: z.string().describe('Scheme, host and port of the store'),
  region,
  access_key: accessKey,
  path_style: pathStyle,
  time_created: IsoTime.describe('When they were stored first'),
});
export type StorageCredentials = z.infer<typeof StorageCredentials>;
export const StorageCredentialsPage = pageOf(StorageCredentials);
