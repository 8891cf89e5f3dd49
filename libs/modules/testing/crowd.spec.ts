import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Json } from '@adit/contracts';
import { ModuleRegistry } from '@adit/module-kit';
import { CONTEXT, observe, range, unit } from '../face_recognition/testing/scenes.js';

const here = import.meta.dirname;

describe('the example of docs/internals/adding-a-module.md', () => {
  it('equals the code of this folder, word for word', async () => {
    const page = await readFile(join(here, '../../../docs/internals/adding-a-module.md'), 'utf8');
    const code = await readFile(join(here, 'crowd/module.ts'), 'utf8');
    expect(page).toContain(`\`\`\`ts libs/modules/crowd/module.ts\n${code}\`\`\``);
  });

  it('is found in its folder and folds faces into crowds', async () => {
    const registry = await ModuleRegistry.scan(here);
    const [requested] = registry.check({ crowd: { min_people: 2 } });
    if (requested === undefined) throw new Error('not found');
    const fold = await requested.definition.open(requested.args, {
      models: [],
      readModelFile: () => Promise.reject(new Error('it names no models')),
      readDictionary: () => Promise.reject(new Error('it names no dictionaries')),
    });
    const actors = [
      { person: 1, samples: range(0, 50), views: 0 },
      { person: 2, samples: [...range(10, 19), ...range(23, 30), ...range(45, 50)], x: 0.5, views: 0 },
    ];
    let state: Json = fold.start(CONTEXT);
    const segments = [];
    for (const from of [0, 13, 26, 39]) {
      const faces = observe(actors, from, from + 12, 2);
      const step = fold.fold(
        JSON.parse(JSON.stringify(state)) as Json,
        { unit: unit(), observations: { faces } },
        CONTEXT,
      );
      segments.push(...step.segments);
      state = step.state;
    }
    segments.push(...fold.close(state, CONTEXT).segments);
    expect(segments.map(({ timeStart, timeEnd, detections }) => [timeStart, timeEnd, detections.length])).toEqual([
      [5, 15, 36],
      [22.52, 25, 12],
    ]);
  });
});
