/** @needs ffmpeg, build */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeLive, liveServer, onvifCamera, transcode, type LiveServer } from '@adit/testing';
import type { Finding } from '../doctor/finding.js';
import { testStream } from './stream-test.js';

await describeLive('adit stream test', (program) => {
  let server: LiveServer;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stream-test-'));
    server = await liveServer(program);
    const film = await transcode('stream-test.mp4', [
      ...['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25,setsar=1', '-f', 'lavfi', '-i', 'sine=r=48000', '-t', '20'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-bf', '0', '-c:a', 'aac'],
    ]);
    await server.publish('cam', film);
  });
  afterAll(async () => {
    await server?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const findings = async (address: string, options: { seconds: number; snapshot?: string } = { seconds: 2 }) => {
    const all: Finding[] = [];
    for await (const finding of testStream(address, options)) all.push(finding);
    return all;
  };

  it('says what is there, from a camera with a password, and keeps its first picture', async () => {
    const { name, password } = server.user;
    const secret = `${encodeURIComponent(name)}:${encodeURIComponent(password)}`;
    const snapshot = join(folder, 'first.jpg');
    const found = await findings(`rtsp://${secret}@127.0.0.1:${server.ports.rtsp}/cam`, { seconds: 3, snapshot });
    expect(found[0]).toEqual({
      state: 'good',
      what: '320 × 180, h264, 25 frames a second; sound of aac, 1 × 48 kHz',
    });
    expect(found.map(({ what }) => what).join('\n')).toMatch(/first picture was decoded after .* frames in 3\.\d s/s);
    // It is an address of this machine.
    expect(found.at(-1)).toMatchObject({
      state: 'warning',
      advice: expect.stringContaining('ADIT_ALLOW_PRIVATE_ADDRESSES'),
    });
    expect([...(await readFile(snapshot)).subarray(0, 2)]).toEqual([0xff, 0xd8]);
    expect(JSON.stringify(found)).not.toContain(password);
  });

  it('asks a camera that speaks ONVIF, and reads its largest stream where the camera was asked', async () => {
    const { user, ports } = server;
    const camera = await onvifCamera({
      user,
      stream: (token) => `rtsp://10.9.8.7:${ports.rtsp}/${token === 'main' ? 'cam' : ''}`,
    });
    const secret = `${encodeURIComponent(user.name)}:${encodeURIComponent(user.password)}`;
    const found = await findings(`onvif://${secret}@127.0.0.1:${camera.port}`);
    await camera.close();
    expect(found.slice(0, 4)).toEqual([
      { state: 'good', what: `The camera offers Main, 1920 × 1080, H264: rtsp://127.0.0.1:${ports.rtsp}/cam` },
      { state: 'good', what: expect.stringContaining('The camera offers Sub & web, 640 × 360') },
      { state: 'warning', what: expect.stringContaining('at 10.9.8.7.'), advice: expect.any(String) },
      { state: 'good', what: expect.stringContaining('320 × 180, h264') },
    ]);
    expect(JSON.stringify(found)).not.toContain(user.password);
  });

  it('reads SRT', async () => {
    const { name, password } = server.user;
    const streamId = encodeURIComponent(`read:cam:${name}:${password}`);
    const found = await findings(`srt://127.0.0.1:${server.ports.srt}?streamid=${streamId}`);
    expect(found.map(({ what }) => what).join('\n')).toMatch(/320 × 180, h264.*frames in 2\.\d s/s);
    expect(JSON.stringify(found)).not.toContain(password);
  });

  it.each([
    ['a wrong password', 'rtsp://a:b@127.0.0.1:PORT/cam', /user name or the password/],
    ['nobody who sends', 'rtsp://127.0.0.1:PORT/open/nothing', /404|not found|cannot be read/i],
    ['a closed port', 'rtsp://127.0.0.1:1/cam', /127\.0\.0\.1:1/],
    ['a server of SRT that gives no reason', 'srt://127.0.0.1:SRT?streamid=read:open/nothing', /gives no reason/],
    ['a parameter that is not known', 'srt://127.0.0.1:9000?stream=cam', /unknown parameter/],
    ['no camera', 'onvif://127.0.0.1:1', /127\.0\.0\.1:1/],
    ['no stream', 'file:///srv/film.mp4', /not the address of a live stream/],
  ])('says what is wrong: %s', async (_, address, what) => {
    const found = await findings(
      address.replace('PORT', String(server.ports.rtsp)).replace('SRT', String(server.ports.srt)),
    );
    expect(found).toEqual([expect.objectContaining({ state: 'bad', what: expect.stringMatching(what) })]);
  });
});
