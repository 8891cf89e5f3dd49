/** @needs weights */
import { describe, expect, it } from '@jest/globals';
import { AditError } from '@adit/contracts';
import fc from 'fast-check';
import { parseTextProto, readTritonConfig } from './triton-config.js';

const CONFIG = `
# As Triton's own examples write it
name: "densenet_onnx"
platform: "onnxruntime_onnx"
max_batch_size : 8
input [
  { name: "data_0", data_type: TYPE_FP32, format: FORMAT_NCHW, dims: [ 3, 224, 160 ] }
]
output {
  name: "fc6_1"
  data_type: TYPE_FP32
  dims: [ 1000 ]
  label_filename: "labels" ".txt"
}
version_policy: { specific { versions: [1, 3] } }
parameters { key: "mean" value: { string_value: "123.675, 116.28, 103.53" } }
parameters { key: "colour" value: { string_value: "bgr" } }
instance_group [ { kind: KIND_GPU; count: 2 } ]
`;

describe('readTritonConfig', () => {
  it('reads name, batch, picture input, labels file and versions', () => {
    const { manifest, labelsFile, versions } = readTritonConfig(CONFIG, 'densenet_onnx');
    expect(manifest).toMatchObject({
      name: 'densenet_onnx',
      kind: 'network',
      maxBatch: 8,
      input: {
        tensor: 'data_0',
        width: 160,
        height: 224,
        layout: 'nchw',
        colour: 'bgr',
        mean: [123.675, 116.28, 103.53],
        std: [1],
      },
    });
    expect(labelsFile).toBe('labels.txt');
    expect(versions).toEqual([1, 3]);
  });

  it('drops the batch from the dims when max_batch_size is 0, and recognises channels-last shapes', () => {
    const { manifest } = readTritonConfig('input { name: "x" dims: [1, 32, 64, 3] }', 'm');
    expect(manifest).toMatchObject({ name: 'm', maxBatch: 1, input: { width: 64, height: 32, layout: 'nhwc' } });
  });

  it('leaves the input open when it is no picture', () => {
    expect(readTritonConfig('max_batch_size: 4 input { name: "x" dims: [-1] }', 'm').manifest.input).toBeUndefined();
  });

  it.each([
    ['another runtime', 'platform: "tensorflow_savedmodel"', 'model.onnx'],
    ['an unclosed message', 'input {', '"}"'],
    ['an unclosed text', 'name: "abc', 'line 1'],
    ['no value', 'a: 1\nname:', 'a value'],
  ])('refuses %s and reports the place', (_, text, said) => {
    expect(() => readTritonConfig(text, 'm')).toThrow(said);
  });

  it('reads any text or refuses it as VALIDATION', () => {
    const pieces = fc.constantFrom(
      'a',
      '"s"',
      '1',
      '-2.5',
      ':',
      '{',
      '}',
      '[',
      ']',
      ',',
      '<',
      '>',
      '#c\n',
      ' ',
      '\n',
      '\\',
      "'q'",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        try {
          expect(parseTextProto(parts.join(''))).toBeInstanceOf(Map);
        } catch (error) {
          expect(error).toBeInstanceOf(AditError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
