import { expect, it } from '@jest/globals';
import { signedHeaders } from './signed-headers.js';

const access = {
  region: 'us-east-1',
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

it('a request has the signature of the example in the documentation of S3', () => {
  const url = new URL('https://examplebucket.s3.amazonaws.com/test.txt');
  const headers = signedHeaders(url, access, new Date('2013-05-24T00:00:00Z'), { range: 'bytes=0-9' });
  expect(headers).toEqual({
    range: 'bytes=0-9',
    'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'x-amz-date': '20130524T000000Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ' +
      'SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, ' +
      'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  });
});

it('a signature is for one address, time, region and key', () => {
  const url = new URL('https://store.example.org:9000/bucket/a.mp4');
  const time = new Date('2026-11-21T07:00:00Z');
  const signatures = [
    signedHeaders(url, access, time),
    signedHeaders(new URL('https://store.example.org/bucket/a.mp4'), access, time),
    signedHeaders(new URL('https://store.example.org:9000/bucket/b.mp4'), access, time),
    signedHeaders(url, access, new Date('2026-11-21T07:00:01Z')),
    signedHeaders(url, { ...access, region: 'eu-central-1' }, time),
    signedHeaders(url, { ...access, secretKey: 'another' }, time),
  ].map(({ authorization }) => authorization?.split('Signature=')[1]);
  expect(new Set(signatures).size).toBe(signatures.length);
});
