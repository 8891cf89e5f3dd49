/** @needs weights */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { AditError } from '@adit/contracts';
import fc from 'fast-check';
import onnxProto from 'onnx-proto';
import { readOutline } from './onnx-outline.js';
import { ProtobufFile } from './protobuf-file.js';
import { floats, graphOf, INT64, int64s, model, node, reading, value } from './testing/onnx-file.js';
import { UNREADABLE } from './testing/hostile-files.js';

const models = join(import.meta.dirname, '../../models');
const PICTURE = [1, 3, 64, 64];
const simple = (): ReturnType<typeof graphOf> => graphOf(PICTURE, { y: [1, 10] });

function refusal(bytes: Uint8Array): Promise<string> {
  return reading(bytes, (file) => {
    try {
      readOutline(file);
    } catch (error) {
      if (error instanceof AditError && error.code === 'VALIDATION') return error.message;
      throw error;
    }
    return 'It was read.';
  });
}

describe('the outline of an installed network', () => {
  it.each(['general-c', 'face-embedding', 'text-recognition', 'ultraface', 'text-reader-deu'])(
    "equals protobuf's reading of %s",
    async (name) => {
      const path = join(models, name, '1/model.onnx');
      const read = onnxProto.onnx.ModelProto.decode(await readFile(path));
      const file = new ProtobufFile(path);
      const outline = readOutline(file);
      file.close();
      expect(outline.nodes).toBe(read.graph?.node?.length);
      expect(outline.outputs.map((output) => output.name)).toEqual(read.graph?.output?.map((output) => output.name));
      expect(outline.opsets['']).toBe(Number(read.opsetImport[0]?.version));
      const weights = read.graph?.initializer ?? [];
      const names = new Set(weights.map((weight) => weight.name));
      expect(outline.inputs.map((input) => input.name)).toEqual(
        read.graph?.input?.map((input) => input.name).filter((input) => !names.has(input)),
      );
      const constants = (read.graph?.node ?? []).flatMap(({ attribute }) =>
        (attribute ?? []).flatMap(({ t }) => t ?? []),
      );
      const count = (dims: unknown): number =>
        (dims as unknown[]).reduce<number>((product, axis) => product * Number(axis), 1);
      const numbers = [...weights, ...constants].reduce((sum, { dims }) => sum + count(dims), 0);
      expect(outline.parameters).toBe(numbers);
    },
  );
});

describe('an outline', () => {
  it('tells open axes from fixed ones, and weights from inputs', async () => {
    const graph = simple();
    graph.input = [value('images', ['batch', 3, 'height', 0]), value('w', [2])];
    graph.initializer?.push(floats('w', [2], [1, 2]));
    const outline = await reading(model(graph), (file) => readOutline(file));
    expect(outline.inputs).toEqual([{ name: 'images', type: 'float32', axes: ['batch', 3, 'height', null] }]);
    expect(outline.producer).toBe('spec');
    expect(outline.operators).toEqual({ Expand: 1, ReduceMean: 1 });
  });

  it('counts the operators of inner graphs and functions', async () => {
    const inner = { name: 'then', node: [node('Relu', ['x'], ['r'])], output: [value('r', [1])] };
    const graph = simple();
    graph.node?.push(node('If', ['c'], ['z'], { attribute: [{ name: 'then_branch', type: 5, g: inner }] }));
    const { operators } = await reading(model(graph), (file) => readOutline(file));
    expect(operators).toMatchObject({ If: 1, Relu: 1 });
  });

  it("keeps exporters' metadata, whatever its keys", async () => {
    const entries = [
      { key: 'names', value: "{0: 'a'}" },
      { key: '__proto__', value: 'x' },
    ];
    const { metadata } = await reading(model(simple(), { metadataProps: entries }), (file) => readOutline(file));
    expect(Object.entries(metadata)).toEqual([
      ['names', "{0: 'a'}"],
      ['__proto__', 'x'],
    ]);
  });
});

describe('a refused file', () => {
  const whole = model(simple());

  it.each(UNREADABLE)('is %s', async (_, bytes, message) => {
    expect(await refusal(bytes)).toMatch(message);
  });

  it('has a million nodes, and is not read to its end', async () => {
    const one = onnxProto.onnx.GraphProto.encode({ node: [node('Relu', ['x'], ['x'])] }).finish();
    const graph = Buffer.concat(Array.from({ length: 1_000_000 }, () => one));
    const length: number[] = [];
    for (let rest = graph.length; rest > 0; rest = Math.floor(rest / 128))
      length.push((rest % 128) | (rest > 127 ? 128 : 0));
    expect(await refusal(Buffer.concat([Buffer.from([0x3a, ...length]), graph]))).toMatch(/more than 100000 nodes/);
  });

  it('is truncated anywhere', async () => {
    for (let end = 0; end < whole.length; end++) {
      const message = await refusal(whole.subarray(0, end));
      expect(message).not.toBe('');
    }
    // The truncated part may be the last field, which leaves a valid file; within the graph it never does.
    expect(await refusal(whole.subarray(0, whole.length - 40))).not.toBe('It was read.');
  });

  it('is refused with a reason, or read, whatever bytes are changed', async () => {
    const sample = model({
      ...simple(),
      initializer: [
        ...(simple().initializer ?? []),
        int64s('i', [2], [1, 2]),
        { name: 'l', dims: [2], dataType: INT64, int64Data: [1, 2] },
      ],
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(sample.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        async (changes) => {
          const bytes = Uint8Array.from(sample);
          for (const [at, byte] of changes) bytes[at] = byte;
          expect(await refusal(bytes)).not.toBe('');
        },
      ),
      { numRuns: 500 },
    );
  });
});
