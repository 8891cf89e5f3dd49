import { createHmac } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiKeyEntity, JobSourceEntity, WorkspaceEntity } from '@adit/database';
import { sampleMedia } from '@adit/testing';
import { World } from '../contract/world.js';

interface MediaLink {
  link: string;
  url: string;
  size: number;
  filename: string;
  content_type: string;
  time_expires: string;
}

let world: World;
let folder: string;
let film: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-media-'));
  film = join(folder, 'people.jpg');
  await copyFile(sampleMedia().groups['sample1'] ?? '', film);
  world = await World.start({ localRoots: [folder] });
}, 600_000);
afterAll(async () => {
  await world?.close();
  await rm(folder, { recursive: true });
});

const jobs = '/api/v1/jobs/';
async function jobOf(...sources: string[]): Promise<string> {
  const reply = await world.ask('POST', jobs, { sources, modules: { face_recognition: {} } });
  expect(reply.status).toBe(200);
  return reply.json<{ id: string }>().id;
}
async function linkOf(jobId: string, headers: Record<string, string> = {}, query = ''): Promise<MediaLink> {
  const reply = await world.ask('GET', `${jobs}${jobId}/media/${query}`, undefined, headers);
  expect(reply.status).toBe(200);
  return reply.json<MediaLink>();
}
/** Without any key, as a media element asks. */
const open = (link: string, headers: Record<string, string> = {}) =>
  fetch(`${world.base}/api/v1/media/?link=${encodeURIComponent(link)}`, { headers });
async function key(role: string): Promise<{ id: string; authorization: string }> {
  const reply = await world.ask('POST', '/api/v1/api-keys/', { name: role, role });
  const { id, key: secret } = reply.json<{ id: string; key: string }>();
  return { id, authorization: `Key ${secret}` };
}

describe('a link to a source of a job', () => {
  it('the link opens that file without a key, in parts, for ten minutes', async () => {
    const { link, url, time_expires: ends, ...about } = await linkOf(await jobOf(film));
    const { size } = await stat(film);
    expect(about).toEqual({ filename: 'people.jpg', content_type: 'image/jpeg', size });
    expect(Math.abs(Date.parse(ends) - Date.now() - 600_000)).toBeLessThan(60_000);
    const whole = await fetch(url);
    expect([whole.status, whole.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(Buffer.from(await whole.arrayBuffer()).equals(await readFile(film))).toBe(true);
    const part = await open(link, { range: 'bytes=0-3' });
    const start = (await readFile(film)).subarray(0, 4);
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, start]);
    expect((await open(link, { range: `bytes=${size}-` })).status).toBe(416);
  });

  it('each source of a job has a link of its own, by its index', async () => {
    const jobId = await jobOf(film, film);
    expect((await linkOf(jobId, {}, '?source=1')).link).not.toBe((await linkOf(jobId)).link);
    for (const query of ['?source=2', '?source=999999']) {
      expect((await world.ask('GET', `${jobs}${jobId}/media/${query}`)).status).toBe(404);
    }
    for (const query of ['?source=-1', '?source=x', '?source=1000000', '?other=1']) {
      expect([query, (await world.ask('GET', `${jobs}${jobId}/media/${query}`)).status]).toEqual([query, 400]);
    }
  });

  it('sources that the gateway cannot open have no link', async () => {
    const jobId = await jobOf(film);
    for (const uri of ['https://example.org/a.mp4', 'storage://gone', '/etc/hostname', join(folder, 'gone.jpg')]) {
      await world.gateway.db.manager.update(JobSourceEntity, { jobId }, { uri });
      expect([uri, (await world.ask('GET', `${jobs}${jobId}/media/`)).status]).toEqual([uri, 404]);
    }
  });

  it('a reader may have one; no key, no link', async () => {
    const jobId = await jobOf(film);
    const { authorization } = await key('reader');
    expect((await open((await linkOf(jobId, { authorization })).link)).status).toBe(200);
    expect((await fetch(`${world.base}${jobs}${jobId}/media/`)).status).toBe(401);
  });
});

/** @hardening privacy: A link to media is forged, changed, or used after its time */
describe('a link that is not good', () => {
  /** As the service signs it, with what nobody is shown. */
  async function signed(content: string): Promise<string> {
    const { hash } = await world.gateway.db.manager.findOneByOrFail(ApiKeyEntity, { id: content.split('.')[2] ?? '' });
    return signedWith(hash, content);
  }
  const signedWith = (secret: string, content: string): string =>
    `${content}.${createHmac('sha256', secret).update(`adit media link\n${content}`).digest('base64url')}`;

  it('the link is refused in each of its parts that is another', async () => {
    const [mine, other] = [await jobOf(film), await jobOf(film, film)];
    const { link } = await linkOf(mine);
    const parts = link.split('.');
    const [, , keyId = '', seconds = ''] = parts;
    // Signed here it is good: what follows fails for what was changed alone.
    expect((await open(await signed([other, '1', keyId, seconds].join('.')))).status).toBe(200);
    const changed = [
      ...[parts.with(0, other), parts.with(1, '1'), parts.with(2, other), parts.with(3, String(Number(seconds) + 60))],
      ...[parts.with(4, 'x'.repeat(43)), parts.slice(0, 4), [...parts, 'x'], ['']],
    ];
    for (const forged of changed) {
      expect([forged, (await open(forged.join('.'))).status]).toEqual([forged, 401]);
    }
    expect((await open('x'.repeat(300))).status).toBe(400);
    expect((await fetch(`${world.base}/api/v1/media/`)).status).toBe(400);
    // What it opens is that file: it is no key.
    const as = { authorization: `Bearer ${link}` };
    expect((await fetch(`${world.base}${jobs}`, { headers: as })).status).toBe(401);
  });

  it('the link ends with its time, its key and its job', async () => {
    const jobId = await jobOf(film);
    const { link } = await linkOf(jobId);
    const [, , keyId = ''] = link.split('.');
    const past = [jobId, '0', keyId, String(Math.floor(Date.now() / 1000) - 1)].join('.');
    expect((await open(await signed(past))).status).toBe(401);
    // Whoever could sign could not make it last.
    const late = [jobId, '0', keyId, String(Math.floor(Date.now() / 1000) + 3600)].join('.');
    expect((await open(await signed(late))).status).toBe(401);

    const { id, authorization } = await key('member');
    const theirs = (await linkOf(jobId, { authorization })).link;
    expect((await open(theirs)).status).toBe(200);
    await world.ask('DELETE', `/api/v1/api-keys/${id}/`);
    expect((await open(theirs)).status).toBe(401);

    // Receivers of webhooks know the signing secret of the workspace.
    const { signingSecret } = await world.gateway.db.manager.findOneByOrFail(WorkspaceEntity, {
      id: world.gateway.workspaceId,
    });
    const content = link.split('.').slice(0, 4).join('.');
    expect((await open(link)).status).toBe(200);
    expect((await open(signedWith(signingSecret, content))).status).toBe(401);

    const newer = (await linkOf(jobId)).link;
    await world.ask('DELETE', `${jobs}${jobId}/`);
    expect((await open(newer)).status).toBe(404);
  });

  it('the key of one workspace opens nothing of another', async () => {
    const jobId = await jobOf(film);
    const made = await world.ask('POST', '/api/v1/workspaces/', { name: 'other' });
    const { key: secret } = made.json<{ key: string }>();
    const as = { authorization: `Key ${secret}` };
    expect((await world.ask('GET', `${jobs}${jobId}/media/`, undefined, as)).status).toBe(404);
    const me = (await world.ask('GET', '/api/v1/me/', undefined, as)).json<{
      role: string;
      workspace: { name: string };
    }>();
    expect(me).toMatchObject({ role: 'admin', workspace: { name: 'other' } });
  });
});

it('a key is told its role and its workspace, whatever its role; a token of an access key is not', async () => {
  for (const role of ['admin', 'member', 'reader']) {
    const { id, authorization } = await key(role);
    const reply = await world.ask('GET', '/api/v1/me/', undefined, { authorization });
    expect([reply.status, reply.json()]).toMatchObject([
      200,
      { role, key: { id, name: role }, workspace: { id: world.gateway.workspaceId, name: 'default' } },
    ]);
  }
  expect((await fetch(`${world.base}/api/v1/me/`)).status).toBe(401);
});

it('jobs are listed by their kind of media', async () => {
  const jobId = await jobOf(film);
  const listed = async (media: string) =>
    (await world.ask('GET', `${jobs}?media_type=${media}&limit=100`))
      .json<{ data: { id: string }[] }>()
      .data.map(({ id }) => id);
  expect(await listed('image')).toContain(jobId);
  expect(await listed('audio')).not.toContain(jobId);
  expect((await world.ask('GET', `${jobs}?media_type=sound`)).status).toBe(400);
});
