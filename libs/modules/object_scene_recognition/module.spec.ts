/** @needs weights */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AditError, modelId, ModelManifest } from '@adit/contracts';
import { chooseModels } from '@adit/module-kit';
import type { InstalledModel, ModuleRegistry } from '@adit/module-kit';
import { load } from 'js-yaml';
import { loadModules } from '../index.js';
import { GERMAN } from './german.js';

const ID = 'object_scene_recognition';
const detector: InstalledModel = {
  id: modelId('general-c'),
  name: 'general-c',
  version: 1,
  digest: 'd'.repeat(64),
  kind: 'network',
  family: null,
  modules: [ID],
  isDefault: true,
};

let registry: ModuleRegistry;
beforeAll(async () => {
  registry = await loadModules();
});

function chosen(args: Record<string, unknown>, installed = [detector]) {
  const [requested] = registry.check({ [ID]: args });
  if (requested === undefined) throw new Error('not checked');
  return chooseModels(requested, installed);
}

function refusal(action: () => unknown): AditError {
  try {
    action();
  } catch (error) {
    if (error instanceof AditError) return error;
  }
  throw new Error('it was accepted');
}

describe('a request', () => {
  it('has its documented defaults, also by the alias', () => {
    const defaults = {
      dictionaries: [],
      min_confidence: 70,
      language: 0,
      include_preset_labels: true,
      enable_captioning: false,
    };
    expect(registry.check({ [ID]: {} })[0]?.args).toEqual(defaults);
    const [byAlias] = registry.check({ object_recognition: {} });
    expect(byAlias).toMatchObject({ postedAs: 'object_recognition', args: defaults });
    expect(byAlias?.definition).toMatchObject({ id: ID, resultName: 'object_recognition' });
    expect(refusal(() => registry.check({ [ID]: {}, object_recognition: {} })).code).toBe('VALIDATION');
  });

  it.each([
    [{ min_confidence: 101 }, 'min_confidence', 'too_big'],
    [{ min_confidence: -1 }, 'min_confidence', 'too_small'],
    [{ language: 2 }, 'language', 'invalid_value'],
    [{ language: 'de' }, 'language', 'invalid_value'],
    [{ words: 'car' }, 'words', 'invalid_type'],
    [{ max_distance: 1 }, 'max_distance', 'unknown_argument'],
  ])('is refused for %j', (args, argument, code) => {
    const { options } = refusal(() => registry.check({ [ID]: args }));
    expect(options.errors?.map(({ pointer }) => pointer)).toContain(`/modules/${ID}/${argument}`);
    expect(options.errors).toMatchObject([{ code }]);
  });

  /** @hardening api: An error does not say what would be right */
  it.each([2, '1', 'de', null])('gets the list of languages when it requests %j', (language) => {
    const { message, options } = refusal(() => registry.check({ [ID]: { language } }));
    expect(message).toContain(`${ID}.language: accepted are 0 (English) and 1 (German).`);
    expect(options.errors).toMatchObject([{ pointer: `/modules/${ID}/language`, code: 'invalid_value' }]);
  });

  it('takes the detector by name, by digest and by default', () => {
    for (const args of [{}, { model: 'general-c' }, { model: detector.digest }]) {
      expect(chosen(args).names).toEqual(['general-c']);
    }
    expect(chosen({}).args['model']).toBe('general-c');
  });

  it.each([
    [{ model: 'zero-shot' }, 'model'],
    [{ model: 'general' }, 'model'],
    [{ words: ['a red bicycle'] }, 'words'],
    [{ include_preset_labels: false }, 'include_preset_labels'],
    [{ enable_captioning: true }, 'enable_captioning'],
  ])('is refused for %j, which no installed model supports, with the list of installed ones', (args, argument) => {
    const error = refusal(() => chosen(args));
    expect(error.code).toBe('MODEL_NOT_INSTALLED');
    expect(error.message).toContain('not installed');
    expect(error.message).toContain('Installed models of object_scene_recognition: general-c.');
    expect(error.options.errors).toMatchObject([{ pointer: `/modules/${ID}/${argument}` }]);
  });

  it('includes scenes where a classifier is installed, which cannot be named alone', () => {
    const scenes = { id: modelId('scenes'), name: 'scenes', digest: 'e'.repeat(64) };
    const classifier: InstalledModel = { ...detector, ...scenes, isDefault: false };
    const both = [detector, classifier];
    const { names, args } = chosen({}, both);
    expect(names).toEqual(['general-c', 'scenes']);
    expect(args['model']).toBe('general-c');
    expect(registry.get(ID).needs(args, names, both)).toEqual([
      { analysis: 'objects', args: {} },
      { analysis: 'scenes', args: {} },
    ]);
    for (const model of ['scenes', classifier.digest, classifier.id]) {
      expect(refusal(() => chosen({ model }, both)).message).toMatch(
        /used beside general-c.* Installed models of object_scene_recognition: general-c, scenes\./,
      );
    }
  });

  it('takes any network of the detector family', () => {
    const named = { id: modelId('helmets'), name: 'helmets', digest: 'f'.repeat(64), family: 'detector' };
    const own: InstalledModel = { ...detector, ...named, isDefault: false };
    for (const model of ['helmets', own.id, own.digest]) {
      const { names, args } = chosen({ model }, [detector, own]);
      expect(names).toEqual(['helmets']);
      const needs = (frameSide?: number) => registry.get(ID).needs(args, names, [detector, { ...own, frameSide }]);
      expect(needs()).toEqual([{ analysis: 'objects', args: { model: 'helmets' } }]);
      expect(needs(640)).toEqual([{ analysis: 'objects', args: { model: 'helmets', side: 640 } }]);
    }
    expect(registry.useOf(own)).toEqual({ type: 'object', modules: [ID] });
    expect(chosen({}, [own, detector]).names).toEqual(['general-c']);
    const network = { ...own, family: null };
    expect(refusal(() => chosen({ model: 'helmets' }, [detector, network])).code).toBe('MODEL_NOT_INSTALLED');
  });

  it('takes any classifier, alone', () => {
    const named = { id: modelId('animals'), name: 'animals', digest: 'c'.repeat(64), family: 'classifier' };
    const own: InstalledModel = { ...detector, ...named, isDefault: false, frameSide: 600 };
    const installed = [detector, own, { ...detector, name: 'scenes' }];
    const { names, args } = chosen({ model: 'animals' }, installed);
    expect(names).toEqual(['animals']);
    expect(registry.get(ID).needs(args, names, installed)).toEqual([
      { analysis: 'scenes', args: { model: 'animals', side: 600 } },
    ]);
    expect(registry.useOf(own)).toEqual({ type: 'object', modules: [ID] });
    // In its slot it is used beside the detector, whatever its family.
    expect(registry.useOf({ ...own, name: 'scenes' })).toBeNull();
  });

  describe('for an image-text model', () => {
    const own: InstalledModel = {
      ...{ ...detector, id: modelId('clip'), name: 'clip', digest: 'a'.repeat(64), isDefault: false },
      ...{ family: 'image-text', decoding: 'clip', labels: 0, frameSide: 600 },
    };
    const text: InstalledModel = {
      ...{ ...detector, id: modelId('clip-text'), name: 'clip-text', digest: 'b'.repeat(64), isDefault: false },
      ...{ family: 'text-embedding', decoding: null },
    };
    const both = [detector, own, text];

    it('searches for words, each once, with both encoders and alone', () => {
      for (const model of ['clip', own.id, own.digest]) {
        const { names, args } = chosen({ model, words: ['a cat', 'a dog', 'a cat'] }, both);
        expect(names).toEqual(['clip', 'clip-text']);
        expect(registry.get(ID).needs(args, names, both)).toEqual([
          { analysis: 'scenes', args: { model: 'clip', side: 600, words: ['a cat', 'a dog'], presets: true } },
        ]);
      }
      const { args, names } = chosen({ model: 'clip', words: ['a', 'b'], include_preset_labels: false }, both);
      expect(registry.get(ID).needs(args, names, both)).toMatchObject([{ args: { presets: false } }]);
      const labelled = [detector, { ...own, labels: 2 }, text];
      expect(chosen({ model: 'clip' }, labelled).names).toEqual(['clip', 'clip-text']);
      expect(chosen({ model: 'clip', words: ['a'] }, [{ ...own, decoding: 'siglip' }, text]).names).toHaveLength(2);
      expect(registry.useOf(own)).toEqual({ type: 'object', modules: [ID] });
      expect(registry.useOf(text)).toBeNull();
    });

    it('searches for the words of dictionaries in addition', () => {
      const { args, names } = chosen({ model: 'clip', dictionaries: [{ id: '1' }] }, both);
      const [need] = registry.get(ID).needs(args, names, both);
      const words = [
        { source: 'a cat', text: 'Katze', language: 'any' as const },
        { source: 'a dog', text: 'a dog', language: 'any' as const },
      ];
      const told = registry.get(ID).withWords?.(need!, words);
      expect(told?.args).toEqual({ model: 'clip', side: 600, words: ['a cat', 'a dog'], presets: true });
      const named = chosen({ model: 'clip', words: ['a dog', 'a cow'] }, both);
      const [before] = registry.get(ID).needs(named.args, named.names, both);
      expect(registry.get(ID).withWords?.(before!, words).args['words']).toEqual(['a dog', 'a cow', 'a cat']);
      const detecting = { analysis: 'objects', args: {} };
      expect(registry.get(ID).withWords?.(detecting, words)).toBe(detecting);
    });

    it.each([
      [{}, both, 'words', /clip has no labels of its own to look for; say in words/],
      [{ words: ['a cat', 'a cat'] }, both, 'words', /with one alone that is always the one/],
      [
        { words: ['a'], include_preset_labels: false },
        [{ ...own, labels: 9 }, text],
        'words',
        /Add what else there may be/,
      ],
      [{ words: ['a', 'b'] }, [detector, own], 'model', /add it as clip-text, with its tokenizer\.json/],
      [{ words: ['a', 'b'], enable_captioning: true }, both, 'enable_captioning', /not installed/],
      [{ model: 'general-c', words: ['a', 'b'] }, both, 'words', /name clip in model\. general-c is none/],
      [{ model: 'clip-text', words: ['a', 'b'] }, both, 'model', /clip-text is not installed/],
    ])('is refused for %j, with advice', (args, installed, argument, message) => {
      const error = refusal(() => chosen({ model: 'clip', ...args }, installed));
      expect(error.message).toMatch(message);
      expect(error.options.errors?.map(({ pointer }) => pointer)).toContain(`/modules/${ID}/${argument}`);
    });
  });

  describe('for a captioning model', () => {
    const own = (name: string): InstalledModel => ({
      ...{ ...detector, id: modelId(name), name, digest: name[0]!.repeat(64), isDefault: false },
      ...{ family: 'captioning', frameSide: 600 },
    });
    const decoderOf = (name: string): InstalledModel => {
      return { ...own(`${name}-decoder`), family: 'text-decoder', frameSide: null };
    };
    const pair = (name: string) => [own(name), decoderOf(name)];
    const asked = (args: object, installed: InstalledModel[]) => {
      const { names, args: checked } = chosen({ ...args }, installed);
      return { names, needs: registry.get(ID).needs(checked, names, installed) };
    };

    it('adds captions to other results, by the only captioner or the one of that name', () => {
      const captions = (model: string) => ({ analysis: 'captions', args: { model, side: 600 } });
      expect(asked({ enable_captioning: true }, [detector, ...pair('blip')])).toEqual({
        names: ['general-c', 'blip', 'blip-decoder'],
        needs: [{ analysis: 'objects', args: {} }, captions('blip')],
      });
      const several = [detector, { ...detector, name: 'scenes' }, ...pair('blip'), ...pair('captioning')];
      expect(asked({ enable_captioning: true }, several)).toEqual({
        names: ['general-c', 'scenes', 'captioning', 'captioning-decoder'],
        needs: [{ analysis: 'objects', args: {} }, { analysis: 'scenes', args: {} }, captions('captioning')],
      });
      for (const flag of [true, false]) {
        expect(asked({ model: 'blip', enable_captioning: flag }, several)).toEqual({
          names: ['blip', 'blip-decoder'],
          needs: [captions('blip')],
        });
      }
      expect(asked({}, several).names).toEqual(['general-c', 'scenes']);
      expect(registry.useOf(own('blip'))).toEqual({ type: 'object', modules: [ID] });
      expect(registry.useOf(decoderOf('blip'))).toBeNull();
    });

    it.each([
      [
        { enable_captioning: true },
        [detector, ...pair('a'), ...pair('b')],
        /there are a, b\. Name one of them in model/,
      ],
      [{ enable_captioning: true }, [detector, own('a')], /add it as a-decoder, with its tokenizer\.json/],
      [{ model: 'a' }, [detector, own('a')], /add it as a-decoder/],
      [{ enable_captioning: true }, [detector], /needs a model of the family captioning/],
    ])('is refused for %j, with advice', (args, installed, message) => {
      const error = refusal(() => chosen(args, installed));
      expect([error.code, error.message]).toEqual(['MODEL_NOT_INSTALLED', expect.stringMatching(message)]);
    });
  });

  it('may name the detector, by name or id, and nothing else', () => {
    const scenes: InstalledModel = { ...detector, name: 'scenes' };
    expect(registry.useOf(detector)).toEqual({ type: 'object', modules: [ID] });
    expect([scenes, { ...detector, modules: [] }].map((model) => registry.useOf(model))).toEqual([null, null]);
    expect(chosen({ model: detector.id }, [detector])).toMatchObject({
      names: ['general-c'],
      args: { model: 'general-c' },
    });
  });

  it('finds other possible models in the list of modules', () => {
    const slots = (installed: InstalledModel[]) => {
      const described = registry.describe(installed).find(({ id }) => id === ID);
      return described?.models_not_installed.map(({ name }) => name);
    };
    expect(slots([detector])).toEqual(['scenes', 'zero-shot', 'captioning']);
    expect(slots([detector, { ...detector, name: 'scenes' }])).toEqual(['zero-shot', 'captioning']);
  });

  it('is refused when nothing is installed', () => {
    const gallery: InstalledModel = { ...detector, kind: 'gallery' };
    expect(refusal(() => chosen({}, [gallery])).message).toMatch(/general-c is not installed.*: none\./);
  });

  it('needs one pass, whatever its arguments', () => {
    const needs = (args: Record<string, unknown>) => {
      const [requested] = registry.check({ [ID]: args });
      return requested?.definition.needs(requested.args, chooseModels(requested, [detector]).names, [detector]);
    };
    expect(needs({ min_confidence: 20, language: 1 })).toEqual([{ analysis: 'objects', args: {} }]);
    expect(needs({})).toEqual(needs({ min_confidence: 20, language: 1 }));
  });
});

describe('the German labels', () => {
  it('name every kind of the network once', async () => {
    const text = await readFile(join(import.meta.dirname, '../../../models/general-c/model.yaml'), 'utf8');
    const { labels = [] } = ModelManifest.parse(load(text));
    expect(labels).toHaveLength(80);
    expect([...GERMAN.keys()]).toEqual(labels);
    expect(new Set(GERMAN.values()).size).toBe(80);
  });
});
