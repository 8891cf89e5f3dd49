import { modelId } from '@adit/contracts';
import { chooseModels } from '@adit/module-kit';
import type { InstalledModel, ModuleRegistry } from '@adit/module-kit';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { loadModules } from '../index.js';

const ID = 'lower_third_recognition';

let registry: ModuleRegistry;
beforeAll(async () => {
  registry = await loadModules();
});

function network(name: string, family: string | null, more: Partial<InstalledModel> = {}): InstalledModel {
  const pin = { name, version: 1, digest: name.padEnd(64, '0') };
  return { ...pin, id: modelId(name), kind: 'network', family, modules: [ID], isDefault: false, ...more };
}

const ours = [network('text-detection', null), network('text-recognition', null)];
const mine = network('mine', 'text-recognition');
const finder = network('mine-finder', 'text-detection', { frameSide: 736 });

function looked(args: Record<string, unknown>, installed: InstalledModel[]) {
  const [requested] = registry.check({ [ID]: { only_faces: false, ...args } });
  const { names, args: complete } = chooseModels(requested!, installed);
  return { names, model: complete['model'], needs: requested!.definition.needs(complete, names, installed) };
}

describe('the model choice of lower_third_recognition', () => {
  it('names no built-in models, nor the downloaded recogniser', () => {
    const pulled = network('pp-ocrv6', null);
    expect(looked({}, [...ours, mine, finder])).toEqual({
      ...{ names: [], model: undefined },
      needs: [{ analysis: 'text', args: {} }],
    });
    const needs = [{ analysis: 'text', args: { reader: 'pp-ocrv6' } }];
    expect(looked({}, [...ours, pulled]).needs).toEqual(needs);
    expect(looked({ model: 'pp-ocrv6' }, [...ours, pulled]).needs).toEqual(needs);
  });

  it('takes the requested recogniser, with its text detector where there is one', () => {
    expect(looked({ model: 'mine' }, [...ours, mine])).toEqual({
      ...{ names: ['mine'], model: 'mine' },
      needs: [{ analysis: 'text', args: { reader: 'mine' } }],
    });
    expect(looked({ model: mine.id }, [...ours, mine, finder])).toEqual({
      ...{ names: ['mine', 'mine-finder'], model: 'mine' },
      needs: [{ analysis: 'text', args: { reader: 'mine', finder: 'mine-finder', side: 736 } }],
    });
  });

  it('takes the text detector in the version of the recogniser, where there is one', () => {
    const of = (model: InstalledModel, version: number) => ({ ...model, version, digest: `${model.name}${version}` });
    const installed = [of(mine, 1), of(mine, 2), of(finder, 1), of(finder, 2), of(finder, 3)];
    const versions = (model: string, among = installed) => {
      const [requested] = registry.check({ [ID]: { model } });
      return [...chooseModels(requested!, among).versions];
    };
    expect(versions('mine')).toEqual([]);
    expect(versions('mine@1')).toEqual([
      ['mine', 1],
      ['mine-finder', 1],
    ]);
    expect(versions('mine@latest', [of(mine, 4), of(finder, 3)])).toEqual([['mine', 4]]);
  });

  it('takes the requested text detector, with the usual recogniser', () => {
    const pulled = network('pp-ocrv6', null);
    expect(looked({ model: 'mine-finder' }, [...ours, finder])).toEqual({
      ...{ names: ['mine-finder'], model: 'mine-finder' },
      needs: [{ analysis: 'text', args: { finder: 'mine-finder', side: 736 } }],
    });
    expect(looked({ model: 'mine-finder' }, [...ours, pulled, finder]).needs).toEqual([
      { analysis: 'text', args: { reader: 'pp-ocrv6', finder: 'mine-finder', side: 736 } },
    ]);
  });

  it('refuses missing models, with a list of installed ones', () => {
    expect(() => looked({ model: 'other' }, [...ours, mine])).toThrow(
      'The model other is not installed. Installed models of lower_third_recognition: mine.',
    );
    expect(() => looked({ model: 'text-recognition' }, [...ours])).toThrow(/Installed models of .*: none\./);
  });
});
