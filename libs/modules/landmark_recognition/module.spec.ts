import { beforeAll, describe, expect, it } from '@jest/globals';
import { AditError, modelId } from '@adit/contracts';
import { chooseModels } from '@adit/module-kit';
import type { InstalledModel, ModuleRegistry } from '@adit/module-kit';
import { loadModules } from '../index.js';

const ID = 'landmark_recognition';
let registry: ModuleRegistry;
beforeAll(async () => {
  registry = await loadModules();
});

function model(name: string, isDefault = false): InstalledModel {
  const pin = { name, version: 1, digest: name.padEnd(64, '0') };
  return { ...pin, id: modelId(name), kind: 'gallery', family: null, modules: [ID], isDefault };
}

function chosen(args: Record<string, unknown>, installed: InstalledModel[]) {
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
  it('has its documented defaults', () => {
    expect(registry.check({ [ID]: {} })[0]?.args).toEqual({ dictionaries: [], min_similarity: 0.75 });
  });

  it.each([
    [{ min_similarity: 1.1 }, 'min_similarity', 'too_big'],
    [{ min_similarity: -0.1 }, 'min_similarity', 'too_small'],
    [{ model: '' }, 'model', 'too_small'],
    [{ min_confidence: 70 }, 'min_confidence', 'unknown_argument'],
  ])('is refused for %j', (args, argument, code) => {
    const { options } = refusal(() => registry.check({ [ID]: args }));
    expect(options.errors).toMatchObject([{ pointer: `/modules/${ID}/${argument}`, code }]);
  });

  it('needs one pass, whatever its arguments', () => {
    const [requested] = registry.check({ [ID]: { model: 'town', min_similarity: 0.2 } });
    expect(requested?.definition.needs(requested.args, [], [])).toEqual([{ analysis: 'image-embedding', args: {} }]);
  });

  it('uses the third-party network of its model, at the frame size that it needs', () => {
    const [requested] = registry.check({ [ID]: { model: 'town' } });
    const network: InstalledModel = { ...model('ours'), kind: 'network', family: 'embedding', modules: [ID] };
    const made = (embedding: string | null, frameSide: number | null = null) =>
      requested?.definition.needs(
        requested.args,
        ['town'],
        [
          { ...model('town'), embedding },
          { ...network, frameSide },
        ],
      );
    expect(made('image-embedding')).toEqual([{ analysis: 'image-embedding', args: {} }]);
    expect(made(null)).toEqual([{ analysis: 'image-embedding', args: {} }]);
    expect(made('ours')).toEqual([{ analysis: 'image-embedding', args: { embedding: 'ours' } }]);
    expect(made('ours', 640)).toEqual([{ analysis: 'image-embedding', args: { embedding: 'ours', side: 640 } }]);
  });

  it('has the default similarity of its model: by its training, or by its network', () => {
    const [requested] = registry.check({ [ID]: { model: 'town' } });
    const found = (maxDistance: number | null) =>
      requested?.definition.fromModels?.([{ ...model('town'), maxDistance }]);
    expect(found(1)).toEqual({ min_similarity: 0.75 });
    expect(found(null)).toEqual({});
  });

  it.each([
    ['general-b when installed', [model('town', true), model('general-b')], 'general-b'],
    ['else the default', [model('cast'), model('town', true)], 'town'],
    ['else the only one', [model('town')], 'town'],
  ])('without a model takes %s', (_, installed, name) => {
    const choice = chosen({}, installed);
    expect(choice.names).toEqual([name]);
    expect(choice.args['model']).toBe(name);
  });

  it.each([
    [
      'general-b',
      [model('town')],
      /general-b is not installed\. Installed landmark models: town\. .*adit landmark build PLACES --name general-b/,
    ],
    [
      'europe',
      [],
      /europe is not installed\. Installed landmark models: none\. .*adit landmark build PLACES --name europe/,
    ],
    ['team', [{ ...model('team'), modules: ['face_recognition'] }], /team is not installed.*: none\.$/],
    [undefined, [], /adit landmark build\. Installed landmark models: none\./],
    [undefined, [model('a'), model('b')], /Name one.*Installed landmark models: a, b\./],
  ])('for the model %s is refused with the list of installed ones', (name, installed, says) => {
    const error = refusal(() => chosen(name === undefined ? {} : { model: name }, installed));
    expect(error.code).toBe('MODEL_NOT_INSTALLED');
    expect(error.message).toMatch(says);
    expect(error.options.errors).toMatchObject([{ pointer: `/modules/${ID}/model`, code: 'model_not_installed' }]);
  });
});
