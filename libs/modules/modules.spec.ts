import { beforeAll, describe, expect, it } from '@jest/globals';
import { AditError, modelId } from '@adit/contracts';
import { chooseModels } from '@adit/module-kit';
import type { InstalledModel, ModuleRegistry } from '@adit/module-kit';
import { loadModules } from './index.js';

let registry: ModuleRegistry;
beforeAll(async () => {
  registry = await loadModules();
});

function gallery(name: string, isDefault = false): InstalledModel {
  const pin = { name, version: 1, digest: name.padEnd(64, '0') };
  return { ...pin, id: modelId(name), kind: 'gallery', family: null, modules: ['face_recognition'], isDefault };
}

function chosen(args: Record<string, unknown>, installed: InstalledModel[]) {
  const [requested] = registry.check({ face_recognition: args });
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

describe('the modules of this folder', () => {
  it('are found by scanning', () => {
    expect(registry.modules.map(({ id }) => id)).toContain('face_recognition');
  });
});

describe('face_recognition', () => {
  it('has its documented defaults', () => {
    expect(registry.check({ face_recognition: {} })[0]?.args).toEqual({
      dictionaries: [],
      max_distance: 1,
      cluster_unknowns: false,
      index_unknowns: false,
      index_collection: 'default_index',
      face_detection_scale: 600,
      enable_top_k: false,
      top_k: 3,
    });
  });

  it.each([
    [{ max_distance: 2.1 }, '/modules/face_recognition/max_distance', 'too_big'],
    [{ face_detection_scale: 99 }, '/modules/face_recognition/face_detection_scale', 'too_small'],
    [{ face_detection_scale: 600.5 }, '/modules/face_recognition/face_detection_scale', 'invalid_type'],
    [{ top_k: 11 }, '/modules/face_recognition/top_k', 'too_big'],
    [{ min_face_size: 5 }, '/modules/face_recognition/min_face_size', 'unknown_argument'],
    [{ index_collection: 'a/b' }, '/modules/face_recognition/index_collection', 'invalid_format'],
  ])('refuses %j', (args, pointer, code) => {
    const error = refusal(() => registry.check({ face_recognition: args }));
    expect(error.code).toBe('VALIDATION');
    expect(error.options.errors).toMatchObject([{ pointer, code }]);
  });

  it('writes to an index collection when asked, and not otherwise', () => {
    const collection = (args: Record<string, unknown>) => {
      const [requested] = registry.check({ face_recognition: args });
      return requested?.definition.collection?.(requested.args);
    };
    const wanted = { network: 'face-embedding', path: ['index_collection'] };
    expect(collection({ index_unknowns: true })).toEqual({ name: 'default_index', ...wanted });
    expect(collection({ index_unknowns: true, index_collection: 'archive' })).toEqual({ name: 'archive', ...wanted });
    expect(collection({ index_collection: 'archive' })).toBeNull();
  });

  it('needs another pass only for another detection scale', () => {
    const needs = (args: Record<string, unknown>) => {
      const [requested] = registry.check({ face_recognition: args });
      return requested?.definition.needs(requested.args, [], []);
    };
    expect(needs({ max_distance: 0.5, model: 'team', enable_top_k: true })).toEqual(needs({}));
    expect(needs({ face_detection_scale: 1200 })).toEqual([{ analysis: 'faces', args: { detectionScale: 1200 } }]);
  });

  it('uses the network of its galleries in addition, one for all of them', () => {
    const installed = [
      { ...gallery('team'), embedding: 'ours' },
      { ...gallery('crew'), embedding: 'theirs' },
      gallery('cast'),
    ];
    const needs = (module: string, names: string[]) =>
      registry.get(module).needs({ face_detection_scale: 600 }, names, installed);
    const args = { detectionScale: 600 };
    expect(needs('face_recognition', ['cast'])).toEqual([{ analysis: 'faces', args }]);
    expect(needs('face_recognition', ['team'])).toEqual([{ analysis: 'faces', args: { ...args, embedding: 'ours' } }]);
    expect(needs('advanced_diversity_analysis', ['team'])).toEqual(needs('face_recognition', ['team']));
    for (const names of [
      ['team', 'crew'],
      ['team', 'cast'],
    ]) {
      expect(refusal(() => needs('face_recognition', names)).message).toMatch(/team with ours, (crew|cast) with /);
    }
  });

  it.each([
    ['celebrities when installed', [gallery('team', true), gallery('celebrities')], ['celebrities']],
    ['else the default', [gallery('cast'), gallery('team', true)], ['team']],
    ['else the only one', [gallery('cast')], ['cast']],
    ['else nobody', [gallery('cast'), gallery('crew')], []],
    ['nobody when there is none', [], []],
    ['galleries only', [{ ...gallery('net'), kind: 'network' as const }], []],
  ])('without a gallery takes %s', (_, installed, names) => {
    const choice = chosen({}, installed);
    expect(choice.names).toEqual(names);
    expect(choice.args['model']).toBe(names[0]);
  });

  it('takes galleries by name or digest, each once', () => {
    const installed = [gallery('cast'), gallery('team')];
    expect(chosen({ model: 'team' }, installed).names).toEqual(['team']);
    expect(chosen({ model: installed[0]?.digest, models: ['team', 'cast'] }, installed).names).toEqual([
      'cast',
      'team',
    ]);
  });

  it('takes the version whose digest is given', () => {
    const older = gallery('team');
    const newer = { ...older, version: 2, digest: 'f'.repeat(64) };
    const installed = [older, newer, gallery('cast')];
    expect([...chosen({ model: older.digest }, installed).versions]).toEqual([['team', 1]]);
    expect([...chosen({ models: ['cast', newer.digest] }, installed).versions]).toEqual([['team', 2]]);
    expect([...chosen({ model: 'team' }, installed).versions]).toEqual([]);
  });

  it('takes galleries by id, and names them in its arguments', () => {
    const installed = [gallery('cast'), gallery('team')];
    const [cast, team] = installed.map(({ id }) => id) as [string, string];
    expect(chosen({ model: team.toUpperCase(), models: [cast, 'team'] }, installed)).toMatchObject({
      names: ['team', 'cast'],
      args: { model: 'team', models: ['cast', 'team'] },
    });
    const town: InstalledModel = { ...gallery('town'), modules: ['landmark_recognition'] };
    expect(refusal(() => chosen({ model: town.id }, [...installed, town])).message).toBe(
      'The face gallery town is not installed. Installed face galleries: cast, team.',
    );
    expect(refusal(() => chosen({ model: modelId('gone') }, installed)).message).toContain(modelId('gone'));
  });

  it('shares galleries with diversity analysis', () => {
    expect(registry.useOf(gallery('team'))).toEqual({
      type: 'face',
      modules: ['advanced_diversity_analysis', 'face_recognition'],
    });
    expect(registry.useOf({ ...gallery('net'), kind: 'network' })).toBeNull();
  });

  it('refuses galleries that are not installed and lists the installed ones', () => {
    const error = refusal(() =>
      chosen({ model: 'celebrities', models: ['team', 'film'] }, [gallery('team'), gallery('cast')]),
    );
    expect(error.code).toBe('MODEL_NOT_INSTALLED');
    expect(error.message).toMatch(
      /celebrities is not installed.*film is not installed.*Installed face galleries: cast, team\. celebrities would be .*adit gallery build PEOPLE --name celebrities/,
    );
    expect(error.options.errors?.map(({ pointer }) => pointer)).toEqual([
      '/modules/face_recognition/model',
      '/modules/face_recognition/models/1',
    ]);
  });
});

describe('lower_third_recognition', () => {
  const reader: InstalledModel = { ...gallery('pp-ocrv6'), kind: 'network', modules: ['lower_third_recognition'] };
  const needsWith = (installed: InstalledModel[]): unknown => {
    const [requested] = registry.check({ lower_third_recognition: { only_faces: false } });
    return requested!.definition.needs(requested!.args, [], installed);
  };

  it('reads with the downloaded recogniser, which is part of its analysis identity', () => {
    expect(needsWith([])).toEqual([{ analysis: 'text', args: {} }]);
    expect(needsWith([reader])).toEqual([{ analysis: 'text', args: { reader: 'pp-ocrv6' } }]);
  });

  it('lists it as a model slot', () => {
    const missing = (installed: InstalledModel[]): unknown =>
      registry.describe(installed).find(({ id }) => id === 'lower_third_recognition')?.models_not_installed;
    expect(missing([])).toMatchObject([{ name: 'pp-ocrv6' }]);
    expect(missing([reader])).toEqual([]);
  });
});

describe('speech_recognition', () => {
  const whisper: InstalledModel = { ...gallery('whisper-base'), kind: 'network', modules: ['speech_recognition'] };

  it('has its documented defaults', () => {
    expect(registry.check({ speech_recognition: {} })[0]?.args).toEqual({
      dictionaries: [],
      language: 'auto',
      audio_track: 'auto',
      mode: 'quality',
      format_paragraph: true,
      enable_vad: false,
      vad_threshold: 0.6,
      detect_silence: false,
      merge_voice_gap_seconds: 0.5,
      enable_ner: false,
      dump_srt: false,
      underline_words_in_srt: false,
      dump_docx: false,
      word_level_timestamps: false,
      translation_language: 'none',
    });
  });

  it('is refused with the one command that installs its model', () => {
    const [requested] = registry.check({ speech_recognition: {} });
    const error = refusal(() => chooseModels(requested!, []));
    expect(error.code).toBe('MODEL_NOT_INSTALLED');
    expect(error.message).toMatch(/adit model pull whisper-base$/);
    expect(chooseModels(requested!, [whisper]).names).toEqual([]);
  });

  it('analyses voices of speakers where there is a model for them, and lists it as a slot', () => {
    const voices: InstalledModel = { ...gallery('resemblyzer'), kind: 'network', modules: ['speech_recognition'] };
    const [requested] = registry.check({ speech_recognition: {} });
    const needs = (installed: InstalledModel[]): string[] =>
      requested!.definition.needs(requested!.args, [], installed).map(({ analysis }) => analysis);
    expect(needs([whisper])).toEqual(['speech']);
    expect(needs([whisper, voices])).toEqual(['speech', 'voices']);
    const missing = registry.describe([whisper]).find(({ id }) => id === 'speech_recognition')?.models_not_installed;
    expect(missing).toMatchObject([{ name: 'resemblyzer' }]);
  });

  it.each([
    ['auto', undefined],
    [1, '1'],
    ['01', '1'],
    ['all', 'all'],
    ['ger', 'de'],
    ['DE-at', 'de'],
  ])('uses the track %j in all sound analyses', (audio_track, track) => {
    const voices: InstalledModel = { ...gallery('resemblyzer'), kind: 'network', modules: ['speech_recognition'] };
    const [requested] = registry.check({ speech_recognition: { audio_track, enable_vad: true } });
    const needs = requested!.definition.needs(requested!.args, [], [whisper, voices]);
    expect(needs.map(({ analysis, args }) => [analysis, args['track']])).toEqual([
      ['speech', track],
      ['voices', track],
      ['voice-activity', track],
    ]);
  });

  it.each([
    [{ translation_language: 'de' }, '/modules/speech_recognition/translation_language'],
    [{ language: 'xx' }, '/modules/speech_recognition/language'],
    [{ vad_threshold: 2 }, '/modules/speech_recognition/vad_threshold'],
    [{ audio_track: 'second one' }, '/modules/speech_recognition/audio_track'],
    [{ audio_track: -1 }, '/modules/speech_recognition/audio_track'],
  ])('refuses %j', (args, pointer) => {
    expect(refusal(() => registry.check({ speech_recognition: args })).options.errors?.[0]?.pointer).toBe(pointer);
  });

  it('analyses voice activity only on request', () => {
    const needs = (args: Record<string, unknown>): string[] => {
      const [requested] = registry.check({ speech_recognition: args });
      return requested!.definition.needs(requested!.args, [], []).map(({ analysis }) => analysis);
    };
    expect(needs({})).toEqual(['speech']);
    expect(needs({ detect_silence: true })).toEqual(['speech', 'voice-activity']);
  });
});
