import { describe, expect, it } from '@jest/globals';
import { AddressPolicy } from '@adit/net';
import fc from 'fast-check';
import { endpointFault, objectAddress, parseBucketObject, shownObject, type BucketAccess } from './bucket-object.js';

const access: BucketAccess = {
  endpoint: 'https://store.example.org:9000',
  region: 'us-east-1',
  accessKey: 'a',
  secretKey: 's',
  pathStyle: true,
};

describe('the address of an object', () => {
  it.each([
    ['s3://news/evening.mp4', 'news', 'evening.mp4'],
    ['S3://news/2026/evening%20news.mp4', 'news', '2026/evening news.mp4'],
    ['s3://news.example.org//a%3Fb%23c%25.mp4', 'news.example.org', '/a?b#c%.mp4'],
    ['s3://news/%C3%BCber+uns(1).jpg', 'news', 'über+uns(1).jpg'],
    ['s3://news/über.jpg', 'news', 'über.jpg'],
  ])('%s', (uri, bucket, key) => {
    expect(parseBucketObject(uri)).toEqual({ bucket, key });
  });

  it.each([
    's3://news',
    's3://news/',
    's3:///a.mp4',
    's3:news/a.mp4',
    's3://News/a.mp4',
    's3://ne..ws/a.mp4',
    's3://me:secret@news/a.mp4',
    's3://news:80/a.mp4',
    's3://news/a.mp4?versionId=1',
    's3://news/a.mp4#1',
    's3://news/100%.mp4',
    's3://news/%FF',
    's3://news/../objects/a.mp4',
    's3://news/a/%2e%2e/b.mp4',
    's3://news/./a.mp4',
    `s3://news/${'a'.repeat(1025)}`,
    `s3://${'a'.repeat(64)}/a.mp4`,
  ])('%s is none', (uri) => {
    expect(() => parseBucketObject(uri)).toThrow(expect.objectContaining({ code: 'VALIDATION' }));
  });

  it('leads to the object in both styles, whatever its key', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 50, unit: 'grapheme' }), fc.boolean(), (key, pathStyle) => {
        fc.pre(!key.split('/').some((part) => part === '.' || part === '..'));
        const object = { bucket: 'news', key };
        const { href, host, pathname } = objectAddress({ ...access, pathStyle }, object);
        expect(host).toBe(pathStyle ? 'store.example.org:9000' : 'news.store.example.org:9000');
        const path = pathStyle ? pathname.replace('/news/', '') : pathname.slice(1);
        expect(decodeURIComponent(path)).toBe(key);
        expect(path).toMatch(/^([A-Za-z0-9_.~/-]|%[0-9A-F]{2})*$/);
        expect(new URL(href).href).toBe(href);
        expect(parseBucketObject(shownObject(object).href)).toEqual(object);
      }),
    );
  });
});

it.each([
  ['https://store.example.org', true, null],
  ['https://store.example.org:9000/', false, null],
  ['https://8.8.8.8', true, null],
  ['https://8.8.8.8', false, /path_style/],
  ['https://[2600::1]:9000', false, /path_style/],
  ['http://store.example.org', true, /http:/],
  ['https://10.0.0.1:9000', true, /not a public address/],
  ['https://me:secret@store.example.org', true, /user name/],
  ['https://store.example.org/bucket', true, /no path/],
  ['https://store.example.org/?a=1', true, /no path/],
  ['https://store.example.org/#a', true, /no path/],
])('the endpoint %s, path style %s: %s', (endpoint, pathStyle, fault) => {
  const found = endpointFault(endpoint, pathStyle, { allowHttp: false, addresses: new AddressPolicy() });
  if (fault === null) expect(found).toBeNull();
  else expect(found).toMatch(fault);
});
