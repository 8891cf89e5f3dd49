import { onvifCamera, type OnvifCamera, type OnvifCameraOptions } from '@adit/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import { cameraStreams } from './camera-streams.js';

const USER = { name: 'operator', password: 'p@ss/word?' };
const SECRET = `operator:${encodeURIComponent(USER.password)}`;
const HERE = { localRoots: [], allowHttp: false, allowPrivateAddresses: ['127.0.0.1/32'] };

let camera: OnvifCamera | null = null;
afterEach(async () => {
  await camera?.close();
  camera = null;
});

async function streamsOf(options: OnvifCameraOptions, secret: string | null = SECRET, policy = HERE) {
  camera = await onvifCamera(options);
  return cameraStreams(`onvif://${secret === null ? '' : `${secret}@`}127.0.0.1:${camera.port}`, policy);
}

describe('a camera that speaks ONVIF', () => {
  it.each([
    ['by a digest in the request, though its clock is an hour ahead', { clockAheadMs: 3_600_000 }],
    ['by a digest of HTTP', { httpDigest: true }],
  ])('tells its streams, the largest first, to whom it knows %s', async (_, options) => {
    const streams = await streamsOf({
      ...options,
      user: USER,
      stream: (token) => `rtsp://127.0.0.1:8554/${token}?a=1&b=2`,
    });
    expect(streams).toEqual([
      {
        ...{ name: 'Main', encoding: 'H264', width: 1920, height: 1080, otherHost: null },
        address: 'rtsp://127.0.0.1:8554/main?a=1&b=2',
        secretAddress: `rtsp://${SECRET}@127.0.0.1:8554/main?a=1&b=2`,
      },
      expect.objectContaining({ name: 'Sub & web', address: 'rtsp://127.0.0.1:8554/sub?a=1&b=2', width: 640 }),
    ]);
  });

  /** @hardening privacy: A camera leads Adit, or its password, to another host */
  it('is asked, and read, at its own host alone, whatever it names', async () => {
    const [stream] = await streamsOf({ named: '10.9.8.7:81', stream: () => 'rtsp://x:y@10.9.8.7:554/live' }, null);
    expect(stream).toMatchObject({ address: 'rtsp://127.0.0.1:554/live', otherHost: '10.9.8.7' });
    expect(stream?.secretAddress).toBe(stream?.address);
  });

  it('is asked at permitted addresses alone', async () => {
    const policy = { localRoots: [], allowHttp: true };
    await expect(streamsOf({}, null, { ...policy, allowPrivateAddresses: [] })).rejects.toMatchObject({
      code: 'SOURCE_REFUSED',
    });
    expect(camera?.asked).toEqual([]);
  });

  it.each([
    ['a wrong password', { user: USER }, 'operator:wrong', /does not accept the user name or the password/],
    ['a wrong password, by HTTP', { user: USER, httpDigest: true }, 'operator:wrong', /does not accept/],
    ['no password', { user: USER }, null, /asks for a user name/],
    ['another address than RTSP', { stream: () => 'rtmp://127.0.0.1/live' }, null, /not RTSP but rtmp/],
    ['no address', { stream: () => 'file:///etc/passwd' }, null, /no address of a stream/],
    ['a page', { answer: () => '<!DOCTYPE html><html></html>' }, null, /DOCTYPE/],
    ['no XML', { answer: () => 'hello' }, null, /no ONVIF/],
    ['an answer without end', { answer: () => ' '.repeat(3 << 20) }, null, /answered more than/],
  ])('with %s is refused with the reason', async (_, options, secret, what) => {
    const found = streamsOf(options, secret);
    await expect(found).rejects.toMatchObject({ message: expect.stringMatching(what) });
    await expect(found).rejects.not.toMatchObject({ message: expect.stringContaining('wrong') });
  });

  it.each([
    'onvif://',
    'onvif://a b@127.0.0.1',
    'onvif:/127.0.0.1',
    'onvif://127.0.0.1?x=1',
    'onvif://%zz@127.0.0.1',
    'onvif://127.0.0.1\\@example.org',
    `onvif://${'a'.repeat(5000)}`,
  ])('is refused by its address: %s', async (address) => {
    await expect(cameraStreams(address, HERE)).rejects.toMatchObject({ code: 'VALIDATION' });
  });
});
