import { afterAll, describe, expect, it } from '@jest/globals';
import { openAsBlob } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Erasure, Retention, SearchPage, StorageEntry } from '@adit/contracts';
import { sampleMedia } from '@adit/testing';
import { Refused, type Api } from './api.js';
import type { EngineUnderTest } from './engine-under-test.js';

const { faces } = sampleMedia();
const [MAN, AGAIN, WOMAN] = [faces['franck_02221']!, faces['franck_04000']!, faces['audrey']!];

/** Tests searches by a photo on an engine whose gallery `team` has one photo of a man, `Monsieur`. */
export function photoSearches(running: () => EngineUnderTest): void {
  describe('a photo of somebody', () => {
    const keep = (seconds: number | null) => running().api.call(Retention, 'PUT', '/retention/', { faces: seconds });
    afterAll(() => keep(null));

    const form = async (path: string, fields: Record<string, string> = {}): Promise<FormData> => {
      const posted = new FormData();
      for (const [name, value] of Object.entries(fields)) posted.append(name, value);
      posted.append('photo', await openAsBlob(path), 'photo.jpg');
      return posted;
    };
    const stored = async (api: Api, path: string): Promise<string> => {
      const posted = new FormData();
      posted.append('file', await openAsBlob(path), 'photo.jpg');
      return (await api.call(StorageEntry, 'POST', '/storage/?folder=/&if_exists=rename', posted)).url!;
    };
    const search = (api: Api, body: unknown, query = '') => api.call(SearchPage, 'POST', `/search/${query}`, body);

    it('finds where they are seen, by a name or not, until that is deleted', async () => {
      const { api } = running();
      const refused = await search(api, await form(AGAIN)).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(Refused);
      expect((refused as Refused).status).toBe(409);
      await keep(30 * 86_400);
      const [man, woman] = [await stored(api, MAN), await stored(api, WOMAN)];
      const tag = 'by a photo';
      const named = await api.mine({ sources: [man, woman], tag, modules: { face_recognition: { model: 'team' } } });
      const strict = { model: 'team', max_distance: 0.01, cluster_unknowns: true };
      const unnamed = await api.mine({ sources: [man, woman], tag, modules: { face_recognition: strict } });
      let found = await search(api, await form(AGAIN, { tag }));
      for (; found.total < 2; found = await search(api, await form(AGAIN, { tag }))) await sleep(200);
      expect(found).toMatchObject({ total: 2, total_is_exact: true, next: null });
      const seen = found.data.map(({ job_id: id, source, matches: [match] }) => [id, source, match?.text]);
      expect(seen).toEqual(
        expect.arrayContaining([
          [named.id, man, 'Monsieur'],
          [unnamed.id, man, 'Unknown #1'],
        ]),
      );
      const [first] = found.data;
      expect(first?.likeness?.distance).toBeLessThan(1);
      // A second page is asked for with the photo again.
      const page = await search(api, await form(AGAIN, { tag }), '?limit=1&cursor=');
      const next = await search(api, await form(AGAIN, { tag }), new URL(page.next!).search);
      expect([...page.data, ...next.data]).toEqual(found.data);
      // The same person, and nobody by a photo of another one.
      expect(await search(api, { photo: man, tag, who: 'monsieur' })).toMatchObject({ data: [{ job_id: named.id }] });
      expect(await search(api, { photo: man, tag, who: 'monsieur', max_distance: 0.01 })).toMatchObject({ total: 1 });
      expect(await search(api, { photo: woman, tag, who: 'monsieur' })).toMatchObject({ total: 0 });
      expect(await search(api, { photo: woman, tag, who: 'monsieur', together: 1 })).toMatchObject({ total: 0 });
      const { job_id: asked } = (await search(api, { photo: man, job_id: unnamed.id })).data[0]!;
      expect(asked).toBe(unnamed.id);
      expect((await api.request('DELETE', `/jobs/${named.id}/`)).status).toBe(200);
      expect(await search(api, await form(AGAIN, { tag }))).toMatchObject({ data: [{ job_id: unnamed.id }] });
      await api.call(Erasure, 'POST', '/erasures/', { file_uri: man });
      expect(await search(api, await form(AGAIN, { tag }))).toMatchObject({ total: 0 });
      expect(await search(api, await form(WOMAN, { tag }))).toMatchObject({ data: [{ source: woman }] });
    });

    it('is refused with the reason', async () => {
      const { api } = running();
      await keep(30 * 86_400);
      const wrong: [unknown, string][] = [
        [{}, '/photo'],
        [{ photo: 'nowhere' }, '/photo'],
        [{ photo: 'storage://nothing' }, '/photo'],
        [{ photo: await stored(api, MAN), said: '(' }, '/said'],
        [{ photo: await stored(api, MAN), max_distance: 3 }, '/max_distance'],
        [await form(MAN, { sad: 'x' }), '/'],
      ];
      for (const [body, pointer] of wrong) {
        const refused = await search(api, body).catch((error: unknown) => error);
        expect([body, refused]).toEqual([body, expect.any(Refused)]);
        const { status, problem } = refused as Refused;
        expect([status, problem.errors[0]?.pointer]).toEqual([400, expect.stringContaining(pointer)]);
      }
    });
  });
}
