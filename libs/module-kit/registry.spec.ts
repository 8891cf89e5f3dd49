import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AditError, StandardArguments } from '@adit/contracts';
import { z } from 'zod';
import { defineModule } from './module.js';
import type { InstalledModel, ModuleDefinition } from './module.js';
import { chooseModels, ModuleRegistry } from './registry.js';

function moduleOf(id: string, aliases: string[] = []): ModuleDefinition {
  return defineModule({
    id,
    resultName: id,
    aliases,
    version: 1,
    args: StandardArguments.extend({ threshold: z.number().min(0).max(1).default(0.5) }),
    media: ['video'],
    models: (args, installed) => {
      const found = args.model ?? installed.find((model) => model.isDefault)?.name;
      return found === undefined ? [] : [found];
    },
    needs: () => [],
    open: () => Promise.reject(new Error('not opened here')),
  });
}

const registry = new ModuleRegistry([moduleOf('object_scene_recognition', ['object_recognition']), moduleOf('faces')]);

function refusal(modules: Record<string, Record<string, unknown>>): AditError {
  try {
    registry.check(modules);
  } catch (error) {
    if (error instanceof AditError) return error;
  }
  throw new Error('it was accepted');
}

describe('a request', () => {
  it('gets its defaults, under the posted name', () => {
    const [checked] = registry.check({ object_recognition: { model: 'general-c' } });
    expect(checked?.definition.id).toBe('object_scene_recognition');
    expect(checked?.postedAs).toBe('object_recognition');
    expect(checked?.args).toEqual({ model: 'general-c', threshold: 0.5, dictionaries: [] });
  });

  it('gets all of its errors at once, each with its place', () => {
    const error = refusal({
      'voice/print': {},
      faces: { threshold: 2, colour: 'red', range: { time_start: 4, time_end: 1 } },
      object_scene_recognition: { range: { time_start: 1, frame_end: 3 }, dictionaries: [{ id: 7 }] },
    });
    expect(error.code).toBe('VALIDATION');
    expect(error.options.errors?.map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/modules/voice~1print', 'unknown_module'],
      ['/modules/faces/range', 'custom'],
      ['/modules/faces/threshold', 'too_big'],
      ['/modules/faces/colour', 'unknown_argument'],
      ['/modules/object_scene_recognition/dictionaries/0/id', 'invalid_type'],
      ['/modules/object_scene_recognition/range/frame_end', 'unknown_argument'],
    ]);
    expect(error.message).toContain('There is no module voice/print. Installed: object_scene_recognition, faces.');
    expect(error.message).toContain('faces.range: time_start must not lie after time_end.');
    expect(error.message).toContain('faces takes no argument colour.');
  });

  it('may name 64 dictionaries for a module', () => {
    const dictionaries = Array.from({ length: 64 }, () => ({ id: 'names' }));
    expect(registry.check({ faces: { dictionaries } })[0]?.args['dictionaries']).toHaveLength(64);
    const error = refusal({ faces: { dictionaries: [...dictionaries, { id: 'more' }] } });
    expect(error.options.errors).toMatchObject([{ pointer: '/modules/faces/dictionaries', code: 'too_big' }]);
  });

  it('may not name a module by its id and its alias', () => {
    const error = refusal({ object_scene_recognition: {}, object_recognition: {} });
    expect(error.options.errors).toEqual([
      {
        pointer: '/modules/object_recognition',
        code: 'module_twice',
        message: 'object_recognition and object_scene_recognition are the same module; name it once.',
      },
    ]);
  });

  it('has the chosen model in its arguments when it named none', () => {
    const installed: InstalledModel[] = [
      {
        id: 'id-of-team',
        name: 'team',
        version: 3,
        digest: 'a'.repeat(64),
        kind: 'gallery',
        family: null,
        modules: ['faces'],
        isDefault: true,
      },
      {
        id: 'id-of-coco',
        name: 'coco',
        version: 1,
        digest: 'b'.repeat(64),
        kind: 'network',
        family: null,
        modules: ['object_scene_recognition'],
        isDefault: true,
      },
    ];
    const [checked] = registry.check({ faces: {} });
    if (checked === undefined) throw new Error('not checked');
    expect(chooseModels(checked, installed)).toEqual({
      names: ['team'],
      versions: new Map(),
      args: { model: 'team', threshold: 0.5, dictionaries: [] },
    });
    expect(chooseModels(checked, []).args).toEqual({ threshold: 0.5, dictionaries: [] });
  });

  it('may name a version of a model', () => {
    const team = (version: number): InstalledModel => ({
      id: 'id-of-team',
      name: 'team',
      version,
      digest: String(version).repeat(64),
      kind: 'gallery',
      family: null,
      modules: ['faces'],
      isDefault: false,
    });
    const installed = [team(1), team(2), team(10)];
    const chosen = (model: string) => {
      const [checked] = registry.check({ faces: { model } });
      const { names, versions, args } = chooseModels(checked!, installed);
      return [names, versions.get('team'), args['model']];
    };
    expect(chosen('team')).toEqual([['team'], undefined, 'team']);
    expect(chosen('team@2')).toEqual([['team'], 2, 'team']);
    expect(chosen('team@latest')).toEqual([['team'], 10, 'team']);
    expect(chosen('ID-of-team@1')).toEqual([['team'], 1, 'team']);
    expect(chosen('2'.repeat(64))).toEqual([['2'.repeat(64)], 2, '2'.repeat(64)]);
    expect(chosen('crew@1')).toEqual([['crew@1'], undefined, 'crew@1']);
    for (const tag of ['3', '02', '', 'newest']) {
      expect(() => chosen(`team@${tag}`)).toThrow(`team@${tag} is not installed: versions are 1, 2, 10, and latest.`);
    }
  });

  it('resolves a companion model to the version of the longest matching name', () => {
    const network = (name: string, version: number): InstalledModel => ({
      ...{ id: `${name} ${version}`, name, version, digest: `${name} ${version}`, kind: 'network' },
      ...{ family: null, modules: ['faces'], isDefault: false },
    });
    const names = ['vit', 'vit-large', 'vit-large-decoder'];
    const installed = names.flatMap((name) => [network(name, 1), network(name, 2)]);
    const [checked] = registry.check({ faces: {} });
    const definition = { ...checked!.definition, models: () => names };
    const { versions } = chooseModels(
      { ...checked!, definition, args: { models: ['vit@1', 'vit-large@2'] } },
      installed,
    );
    expect(Object.fromEntries(versions)).toEqual({ vit: 1, 'vit-large': 2, 'vit-large-decoder': 2 });
  });
});

describe('GET /v1/modules/', () => {
  it('describes the arguments as a client posts them', () => {
    const [objects] = registry.describe();
    expect(objects).toMatchObject({
      id: 'object_scene_recognition',
      aliases: ['object_recognition'],
      media: ['video'],
    });
    expect(objects?.arguments).toMatchObject({
      type: 'object',
      additionalProperties: false,
      properties: { threshold: { type: 'number', minimum: 0, maximum: 1, default: 0.5 }, model: { type: 'string' } },
    });
    expect(objects?.arguments['required']).toBeUndefined();
  });
});

describe('a folder of modules', () => {
  let folder: string;
  const write = async (id: string, text: string) => {
    await mkdir(join(folder, id));
    await writeFile(join(folder, id, 'module.js'), text);
  };
  const source = (id: string) => `export default { id: '${id}', aliases: [], open() {} };`;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-modules-'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is scanned; folders without a module are skipped', async () => {
    await write('shots', source('shots'));
    await write('colours', source('colours'));
    await mkdir(join(folder, 'notes'));
    expect((await ModuleRegistry.scan(folder)).modules.map(({ id }) => id)).toEqual(['colours', 'shots']);
  });

  it("is refused when a module's name differs from its folder, or there is no definition", async () => {
    await write('shots', source('cuts'));
    await expect(ModuleRegistry.scan(folder)).rejects.toThrow(/defines cuts; the folder must have the same name/);
    await rm(join(folder, 'shots'), { recursive: true });
    await write('colours', 'export const id = "colours";');
    await expect(ModuleRegistry.scan(folder)).rejects.toThrow(/must export a module as its default/);
  });

  it('is refused when two modules claim one name', () => {
    expect(() => new ModuleRegistry([moduleOf('a', ['b']), moduleOf('b')])).toThrow('Two modules call themselves b.');
  });
});
