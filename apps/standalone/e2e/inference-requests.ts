import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  elementAt,
  FaceComparison,
  FaceDetection,
  FaceSearch,
  Model,
  Prediction,
  StorageEntry,
  type SearchedFace,
} from '@adit/contracts';
import { sampleMedia } from '@adit/testing';
import { z } from 'zod';
import { Refused, type Api } from './api.js';
import type { EngineUnderTest } from './engine-under-test.js';

const { faces, groups } = sampleMedia();
const group = groups['sample1']!;

/** Settings of an engine that fetches pictures from this machine. */
export const LOCAL_WEB = { ADIT_ALLOW_HTTP: 'true', ADIT_ALLOW_PRIVATE_ADDRESSES: '127.0.0.1/32' };

/** Tests online inference requests on an engine whose gallery `team` has one photo of a man, `Monsieur`. */
export function inferenceRequests(running: () => EngineUnderTest): void {
  describe('a picture in an online inference request', () => {
    let api: Api;
    let server: Server;
    let web: string;
    const uris = new Map<string, string>();
    const stored = async (path: string): Promise<string> => {
      const known = uris.get(path);
      if (known !== undefined) return known;
      const { url } = await api.call(
        StorageEntry,
        'POST',
        '/storage/?folder=/&if_exists=rename',
        await form({ file: path }),
      );
      uris.set(path, url!);
      return url!;
    };
    const search = (body: unknown) => api.call(FaceSearch, 'POST', '/faces/search/', body);
    const refusal = async (schema: z.ZodType, path: string, body: unknown) => {
      const refused = await api.call(schema, 'POST', path, body).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(Refused);
      const { status, problem } = refused as Refused;
      return { status, pointer: problem.errors[0]?.pointer, code: problem.errors[0]?.code };
    };

    beforeAll(async () => {
      api = running().api;
      server = createServer((request, response) => {
        if (request.url === '/group.jpg') void readFile(group).then((bytes) => response.end(bytes));
        else response.writeHead(404).end();
      });
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      web = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    afterAll(() => new Promise((done) => server.close(done)));

    it('has the faces that a job finds, whichever way it is sent', async () => {
      const sources = [await stored(group)];
      const { id } = await api.mine({ sources, modules: { face_recognition: {} } });
      const expected = (await api.segments(id)).map(({ detections }) => detections[0]!.data);
      expect(expected.length).toBeGreaterThan(1);
      const bodies = [{ file_uri: sources[0] }, { file_uri: `${web}/group.jpg` }, await form({ file: group })];
      for (const body of bodies) {
        const seen = await api.call(FaceDetection, 'POST', '/faces/detect/', body);
        expect(seen.faces.map(({ face_bbox: box }) => box)).toEqual(expect.arrayContaining(expected));
        expect(seen.faces).toHaveLength(expected.length);
        const sizes = seen.faces.map(({ size }) => size);
        expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
        expect(seen.models.map(({ name }) => name)).toContain('face-embedding');
      }
    });

    it('is compared with another by its faces', async () => {
      const [man, again, woman] = [faces['franck_02221']!, faces['franck_04000']!, faces['audrey']!];
      const compare = (body: unknown) => api.call(FaceComparison, 'POST', '/faces/compare/', body);
      expect(await compare({ a: await stored(man), b: await stored(again) })).toMatchObject({ same_person: true });
      const other = await compare(await form({ a: man, b: woman }));
      expect(other).toMatchObject({ same_person: false, matches: [{ same_person: false }] });
      expect(other.distance).toBeGreaterThan(1);
      const lenient = await form({ a: man, b: woman });
      lenient.append('max_distance', '2');
      expect(await compare(lenient)).toMatchObject({ same_person: true, distance: other.distance });
    });

    it('is recognised as in a job', async () => {
      const source = await stored(faces['franck_04000']!);
      const args = { model: 'team', enable_top_k: true, top_k: 2 };
      const { id } = await api.mine({ sources: [source], modules: { face_recognition: args } });
      const meta = elementAt(await api.segments(id), 0).meta;
      const { faces: found, models } = await search({ file_uri: source, model: 'team', top_k: 2 });
      expect(found).toHaveLength(1);
      const { person, class_id, similarity, distance, indexed_identity, top_k } = found[0]!;
      expect(person).toBe('Monsieur');
      const shown = top_k.map(({ indexed_identity: _, ...candidate }) => candidate);
      expect({ person, class_id, similarity, distance, indexed_identity, top_k: shown }).toEqual(
        Object.fromEntries(Object.entries(meta).filter(([name]) => !name.startsWith('mean_'))),
      );
      expect(models[0]).toMatchObject({ name: 'team', version: 2 });
      // A single gallery need not be named; the closest person is given even beyond the distance.
      const strict = await search({ file_uri: source, max_distance: 0.01 });
      expect(strict.faces).toMatchObject([{ person: 'unknown', closest_person: 'Monsieur' }]);
    });

    it('is searched in an index collection, whose present labels count', async () => {
      const unlabelled = { face_recognition: { index_unknowns: true, model: 'team', max_distance: 0.01 } };
      await api.mine({ sources: [await stored(faces['cage']!)], modules: unlabelled });
      const asked = { file_uri: await stored(faces['cage']!), collection: 'default_index' };
      const [before] = (await search(asked)).faces as [SearchedFace];
      expect(before).toMatchObject({
        person: 'unknown',
        indexed_identity: { label: '', index_id: expect.any(String) },
      });
      const identity = `/index-collection/default_index/identities/${before.indexed_identity!.index_id}/`;
      expect((await api.request('PUT', identity, { label: 'Nicolas' })).status).toBe(200);
      expect((await search(asked)).faces).toMatchObject([
        { person: 'Nicolas', class_id: null, similarity: expect.any(Number), top_k: [{ person: 'Nicolas' }] },
      ]);
      const unknownFace = await search({ ...asked, file_uri: await stored(faces['audrey']!) });
      expect(unknownFace.faces).toMatchObject([
        { person: 'unknown', indexed_identity: null, closest_person: 'Nicolas' },
      ]);
    });

    it('is refused with the reason', async () => {
      const text = new FormData();
      text.append('file', new Blob(['no picture']), 'notes.txt');
      const cut = new FormData();
      cut.append('file', new Blob([(await readFile(group)).subarray(0, 20_000)]), 'cut.jpg');
      const wrong: [string, unknown, object][] = [
        ['/faces/detect/', text, { status: 400, pointer: '/file_uri', code: 'media_invalid' }],
        ['/faces/detect/', cut, { status: 400, pointer: '/file_uri', code: 'media_invalid' }],
        ['/faces/detect/', new FormData(), { status: 400, pointer: '/file_uri', code: 'invalid' }],
        ['/faces/detect/', { file_uri: 'storage://nothing' }, { status: 400, pointer: '/file_uri' }],
        ['/faces/detect/', { file_uri: group }, { status: 400, pointer: '/file_uri', code: 'invalid' }],
        ['/faces/detect/', { file_uri: 'http://10.0.0.1/a.jpg' }, { status: 400, pointer: '/file_uri' }],
        ['/faces/detect/', { file_uri: `${web}/none.jpg` }, { status: 400, pointer: '/file_uri' }],
        ['/faces/detect/', { file_uri: 'storage://a', face_detection_scale: 9 }, { pointer: '/face_detection_scale' }],
        ['/faces/search/', { file_uri: await stored(group), model: 'nobody' }, { status: 400, pointer: '/model' }],
        ['/faces/search/', { file_uri: await stored(group), collection: 'none' }, { pointer: '/collection' }],
        ['/faces/search/', { file_uri: 'storage://a', collection: 'a', model: 'team' }, { status: 400 }],
      ];
      for (const [path, body, why] of wrong) {
        expect([path, body, await refusal(FaceDetection, path, body)]).toEqual([
          path,
          body,
          expect.objectContaining(why),
        ]);
      }
    });

    it('gets the results of a job from any model that a job may name', async () => {
      const models = await api.call(z.array(Model), 'GET', '/models/');
      const idOf = (name: string) => models.find((model) => model.name === name)!.id;
      const source = await stored(group);
      const asked: [string, string, Record<string, unknown>][] = [
        ['general-c', 'object_scene_recognition', { min_confidence: 20 }],
        ['team', 'face_recognition', { max_distance: 1.2 }],
      ];
      for (const [name, module, args] of asked) {
        const job = await api.mine({ sources: [source], modules: { [module]: { ...args, model: name } } });
        const results = (await api.segments(job.id)).map(({ meta, detections }) => ({ meta, detections }));
        expect(results.length).toBeGreaterThan(1);
        const path = `/models/${idOf(name)}/predict/`;
        const body = await form({ file: group });
        body.append('arguments', JSON.stringify(args));
        for (const sent of [body, { file_uri: source, arguments: args }]) {
          const said = await api.call(Prediction, 'POST', path, sent);
          expect(said.results.map(({ meta, detections }) => ({ meta, detections }))).toEqual(results);
          expect(said.models.map((model) => model.name)).toContain(name);
        }
      }
      const path = `/models/${idOf('team')}/predict/`;
      for (const [body, pointer] of [
        [{ file_uri: source, version: 99 }, '/version'],
        [{ file_uri: source, module: 'speech_recognition' }, '/module'],
        [{ file_uri: source, arguments: { max_distance: 9 } }, '/arguments/max_distance'],
        [{ file_uri: source, arguments: { dictionaries: [{ id: randomUUID() }] } }, '/arguments'],
      ] as const) {
        expect(await refusal(Prediction, path, body)).toMatchObject({ status: 400, pointer });
      }
      const nobody = `/models/${randomUUID()}/predict/`;
      expect(await refusal(Prediction, nobody, { file_uri: source })).toMatchObject({ status: 404 });
    });

    it('is counted by the metrics', async () => {
      expect(await api.metric('adit_look_seconds_count', 'analysis="faces"')).toBeGreaterThan(8);
    });
  });
}

async function form(files: Record<string, string>): Promise<FormData> {
  const made = new FormData();
  for (const [field, path] of Object.entries(files)) made.append(field, new Blob([await readFile(path)]), 'photo.jpg');
  return made;
}
