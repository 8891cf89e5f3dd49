import { describe, expect, it } from '@jest/globals';
import { proposed, flags } from './testing/proposed.js';

describe("Triton's config.pbtxt", () => {
  const config = `
    max_batch_size: 4
    input { name: "images" dims: [ 3, 224, 160 ] }
    output { name: "scores" dims: [ 3 ] }
    parameters { key: "mean" value: { string_value: "127.5" } }
    parameters { key: "std" value: { string_value: "127.5" } }`;
  const of = (text: string) =>
    proposed({
      ...{ input: ['N', 3, 'h', 'w'], outputs: { scores: ['N', 3] } },
      files: { 'config.pbtxt': text, 'labels.txt': 'a\nb\nc' },
    });

  it('fills open properties of the graph, and leaves missing ones open', async () => {
    const proposal = await of(config);
    expect(proposal.input).toMatchObject({ width: 160, height: 224, mean: [127.5], std: [127.5], colour: null });
    expect(proposal).toMatchObject({ maxBatch: 4, labels: ['a', 'b', 'c'] });
    expect(flags(proposal)).toEqual(['--colour', '--resize']);
    expect(await of(config.replace('max_batch_size: 4', ''))).toMatchObject({
      maxBatch: 1,
    });
  });

  it.each([
    ['another runtime', 'platform: "tensorflow_savedmodel"', /is not ONNX Runtime/],
    [
      'a colour that is none',
      'parameters { key: "colour" value { string_value: "red" } }',
      /none of rgb, bgr and grey/,
    ],
    [
      'a mean that is no number',
      'parameters { key: "mean" value { string_value: "a, 2" } }',
      /neither one number nor three/,
    ],
  ])('is refused with %s', async (_, text, message) => {
    await expect(of(text)).rejects.toThrow(message);
  });
});

describe("Hugging Face's pre-processing", () => {
  const input = ['batch', 3, 'height', 'width'];
  const outputs = { logits: ['batch', 2] };
  const config = { architectures: ['ConvNextForImageClassification'], id2label: { 0: 'a', 1: 'b' } };
  const pixels = { do_normalize: true, image_mean: [0.5, 0.5, 0.5], image_std: [0.5, 0.5, 0.5], resample: 3 };
  const of = (preprocessor: object, name = 'preprocessor_config.json', more = {}) =>
    proposed({
      ...{ input, inputName: 'pixel_values', outputs },
      files: { 'config.json': JSON.stringify({ ...config, ...more }), [name]: JSON.stringify(preprocessor) },
    });

  it('stretches a picture to a size with two sides, though DETR and its relatives pad batches', async () => {
    const yolos = { ...pixels, image_processor_type: 'YolosImageProcessor', do_pad: true };
    expect((await of({ ...yolos, size: { height: 128, width: 128 } })).input).toMatchObject({ resize: 'stretch' });
    expect((await of({ ...yolos, size: { shortest_edge: 128 } })).input).toMatchObject({ resize: 'letterbox' });
  });

  it('crops the centre for ConvNeXt below 384 pixels, and stretches from there on', async () => {
    const convnext = (side: number) =>
      of({ ...pixels, image_processor_type: 'ConvNextImageProcessor', crop_pct: 0.875, size: { shortest_edge: side } });
    const small = await convnext(224);
    const cut = { resize: 'crop', shorterSide: 256, width: 224, height: 224, filter: 'bicubic' };
    expect(small).toMatchObject({ questions: [], input: cut });
    const large = await convnext(384);
    expect(large).toMatchObject({ questions: [], input: { resize: 'stretch', shorterSide: null, width: 384 } });
  });

  it.each([
    ['PoolFormer', { crop_pct: 0.9, size: { shortest_edge: 224 } }, 248],
    ['Levit', { size: { shortest_edge: 224 } }, 256],
    ['ViT', { size: { shortest_edge: 256 } }, 256],
  ])('enlarges before cropping, as %s does', async (kind, said, shorterSide) => {
    const image_processor_type = `${kind}ImageProcessor`;
    const cut = { do_center_crop: true, crop_size: { height: 224, width: 224 } };
    const { input: found } = await of({ ...pixels, image_processor_type, ...cut, ...said });
    expect(found).toMatchObject({ resize: 'crop', shorterSide, width: 224 });
  });

  it('is in processor_config.json alone from transformers 5 on, which crops as torchvision does', async () => {
    const image_processor = {
      ...{ ...pixels, image_processor_type: 'CLIPImageProcessor', size: { shortest_edge: 224 } },
      ...{ do_center_crop: true, crop_size: { height: 224, width: 224 } },
    };
    const found = await of({ image_processor, processor_class: 'CLIPProcessor' }, 'processor_config.json');
    const cut = { resize: 'crop', shorterSide: 224, floorCrop: false, colour: 'rgb', mean: [127.5, 127.5, 127.5] };
    expect(found).toMatchObject({ questions: [], input: cut });
    expect((await of(image_processor)).input?.floorCrop).toBe(true);
    const five = { transformers_version: '5.24.0' };
    expect((await of(image_processor, 'preprocessor_config.json', five)).input?.floorCrop).toBe(false);
    const pil = { ...image_processor, image_processor_type: 'CLIPImageProcessorPil' };
    expect((await of(pil, 'preprocessor_config.json', five)).input?.floorCrop).toBe(true);
    // Earlier versions have the file too, without any picture processing.
    expect((await of({ processor_class: 'CLIPProcessor' }, 'processor_config.json')).input?.mean).toBeNull();
  });

  it('has the order of the colours, and the side in the config of the network', async () => {
    const flipped = await of({ ...pixels, do_flip_channel_order: true }, 'preprocessor_config.json', {
      image_size: 256,
    });
    expect(flipped.input).toMatchObject({ colour: 'bgr', width: 256, height: 256 });
  });
});
