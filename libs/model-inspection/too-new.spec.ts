import { THIS_THREAD } from '@adit/inference/onnx-graph';
import { afterEach, describe, expect, it } from '@jest/globals';
import { inspectHere } from './inspect.js';
import { graphOf, model, modelFolder } from './testing/onnx-file.js';
import { NEWEST } from './too-new.js';

let remove: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(remove.map((each) => each()));
  remove = [];
});

async function written(irVersion: number, version: number, more = {}): Promise<string> {
  const opsetImport = [{ domain: '', version }];
  const graph = graphOf([1, 3, 32, 32], { logits: [1, 5] });
  const folder = await modelFolder({ 'model.onnx': model(graph, { irVersion, opsetImport, ...more }) });
  remove.push(folder.remove);
  return folder.path('model.onnx');
}

describe('the newest loadable version', () => {
  const load = (path: string) => THIS_THREAD.load(path, { executionProviders: ['cpu'], logSeverityLevel: 4 });

  it('is the one that this ONNX Runtime loads, and no newer one', async () => {
    await (await load(await written(NEWEST.ir, NEWEST.opset))).release();
    await expect(load(await written(NEWEST.ir + 1, 17))).rejects.toThrow();
    await expect(load(await written(8, NEWEST.opset + 1))).rejects.toThrow();
  });
});

it.each<[string, number, number, object, RegExp]>([
  ['an operator set', 10, 28, { producerName: 'pytorch' }, /with opset 28; .* opset 26\. .*opset_version=26\)/],
  ['a format', 14, 17, {}, /IR version 14 .* IR version 13 .*model\.ir_version = 13/],
  ['both', 14, 28, { producerName: 'skl2onnx' }, /target_opset=26\)\. Set model\.ir_version = 13/],
  ['one of an unknown exporter', 10, 28, { producerName: '' }, /version_converter\.convert_version\(model, 26\)/],
  [
    'one of Ultralytics',
    10,
    28,
    { producerName: 'pytorch', metadataProps: [{ key: 'author', value: 'Ultralytics' }] },
    /export\(format="onnx", opset=26\)/,
  ],
])('a model is refused that is too new, with advice for an older one: %s', async (_, ir, opset, more, message) => {
  await expect(inspectHere(await written(ir, opset, more))).rejects.toThrow(message);
});
