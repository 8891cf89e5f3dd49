/** @needs weights, build */
import { TranscriptEntity } from '@adit/database';
import { TranscriptReader } from '@adit/transcript-store';
import { describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { scopeOf } from '../auth/access-scopes.js';
import { ExportsController } from '../exports/exports.controller.js';
import { routesOf } from '../http/route.js';
import { SEARCHES, TranscriptsController } from './transcripts.controller.js';
import { useTranscriptWorld, world, ask, at, pageOf, codeOf } from './testing/transcript-world.js';

useTranscriptWorld();

describe('a search', () => {
  it('searches of one workspace run a few at a time; others wait, and more are refused', async () => {
    const versions = await at();
    const searched = `${versions}/1/paragraphs/?search=good`;
    const reader = world.gateway.app.get(TranscriptReader, { strict: false });
    const read = reader.paragraphs.bind(reader);
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    let reading = 0;
    let most = 0;
    reader.paragraphs = async (place, query) => {
      if (query.search === undefined) return read(place, query);
      most = Math.max(most, (reading += 1));
      await gate;
      return read(place, query).finally(() => (reading -= 1));
    };
    try {
      const count = SEARCHES.concurrency + SEARCHES.waiting + 1;
      const answers = Array.from({ length: count }, () => ask('GET', searched));
      // One is refused while all others wait.
      const refused = await Promise.race(answers);
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
      expect(reading).toBe(SEARCHES.concurrency);
      // Who looks for nothing waits for nobody.
      expect(await pageOf(`${versions}/1`)).toHaveLength(2);
      open();
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(count - 1);
      expect(most).toBe(SEARCHES.concurrency);
    } finally {
      open();
      reader.paragraphs = read;
    }
  });
});

describe('the size of transcripts', () => {
  const own = (): string => `workspaces/${world.gateway.workspaceId}/`;
  const used = async (): Promise<number> => (await ask('GET', own())).json<{ storage_used: number }>().storage_used;

  it('bytes of transcripts count like those of files, and are free again after a deletion', async () => {
    const before = await used();
    const [id, variant] = await world.transcript();
    const one = (await used()) - before;
    expect(one).toBeGreaterThan(2 * 256);
    const copy = (await ask('POST', `transcripts/${id}/variants/`, { language: 'de', mode: 'copy' })).json();
    expect(await used()).toBe(before + 2 * one);
    await ask('DELETE', `transcripts/${id}/variants/${String(copy['id'])}/`);
    expect(await used()).toBe(before + one);
    await ask('PATCH', own(), { storage_bytes: before + one + 100 });
    try {
      const change = { after: null, text: 'Good night.', time_start: 0, time_end: 1 };
      const refused = await ask('POST', `transcripts/${id}/variants/${variant}/versions/`, { changes: [change] });
      expect([...codeOf(refused), refused.json()['detail']]).toEqual([
        507,
        'storage_full',
        `The files, transcripts and recordings of this workspace may have ${before + one + 100} bytes together; 100 are left.`,
      ]);
      await expect(world.picture()).rejects.toThrow('answered 507');
    } finally {
      await ask('PATCH', own(), { storage_bytes: null });
    }
    await ask('DELETE', `transcripts/${id}/`);
    expect(await used()).toBe(before);
    const [other] = await world.transcript();
    const { jobId } = await world.gateway.db.manager.findOneByOrFail(TranscriptEntity, { id: other });
    await ask('DELETE', `jobs/${jobId}/`);
    expect(await used()).toBe(before);
  });
});

describe('the rights on transcripts', () => {
  const routes = [TranscriptsController, ExportsController].flatMap((controller) => routesOf(controller));
  const nobody = '00000000-0000-4000-8000-000000000000';
  const addressOf = (path: string): string => path.slice('/v1/'.length).replace(/:\w+/g, nobody);

  it('tokens reach each of these by the one scope that it needs, and nothing else', async () => {
    const tokens = new Map<string, string>();
    for (const scope of ['transcript.read', 'transcript.write', 'export.read', 'export.write']) {
      const key = (await ask('POST', 'access-keys/', { name: scope, type: 'jwt', scopes: [scope] })).json<
        Record<'key' | 'secret', string>
      >();
      const jwt = await new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(key.secret));
      tokens.set(scope, `Bearer ${key.key}.${jwt}`);
    }
    for (const route of routes) {
      const needed = scopeOf(route)!;
      expect([route.path, needed]).toEqual([
        route.path,
        `${route.path.split('/')[2]!.slice(0, -1)}.${route.method === 'GET' ? 'read' : 'write'}`,
      ]);
      for (const [scope, authorization] of tokens) {
        const { status } = await ask(route.method, addressOf(route.path), {}, { authorization });
        expect([route.method, route.path, scope, status === 403]).toEqual([
          route.method,
          route.path,
          scope,
          scope !== needed,
        ]);
      }
    }
    for (const url of ['jobs/', 'storage/', 'webhooks/', 'access-keys/']) {
      for (const authorization of tokens.values())
        expect((await ask('GET', url, undefined, { authorization })).status).toBe(403);
    }
  });

  it('another workspace finds none of it', async () => {
    const other = (await ask('POST', 'workspaces/', { name: 'another' })).json<{ key: string }>();
    const headers = { authorization: `Key ${other.key}` };
    const [id, variant] = await world.transcript();
    const [paragraph] = await pageOf(`transcripts/${id}/variants/${variant}/versions/1`);
    const names: Record<string, string> = {
      transcriptId: id,
      variantId: variant,
      version: '1',
      paragraphId: paragraph!.id,
    };
    const bodies: Record<string, object> = { PUT: { text: 'x' }, POST: { language: 'de', mode: 'copy' } };
    for (const { method, path } of routesOf(TranscriptsController).filter((route) => route.path.includes(':'))) {
      const url = path.slice('/v1/'.length).replace(/:(\w+)/g, (_, name: string) => names[name]!);
      const body = path.endsWith('/versions/') ? {} : (bodies[method] ?? {});
      const answer = await ask(method, `${url}${url.endsWith('diff/') ? '?from=1' : ''}`, body, headers);
      expect([method, path, answer.status]).toEqual([method, path, 404]);
    }
    const config = { transcript_id: id, variant_id: variant, format: 'srt' };
    expect(codeOf(await ask('POST', 'exports/', { strategy: 'transcript_export', config }, headers))).toEqual([
      400,
      'unknown_transcript',
    ]);
  });
});
