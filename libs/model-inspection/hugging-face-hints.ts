import type { ResizeFilter } from '@adit/contracts';
import type { ExporterHints } from '@adit/inference/families';
import { z } from 'zod';
import { labelsOf } from './class-labels.js';
import { readSidecar, type SidecarFiles } from './sidecar-files.js';

const Size = z.union([
  z.int().positive(),
  z.object({ height: z.int().positive(), width: z.int().positive() }),
  z.object({ shortest_edge: z.int().positive() }),
]);
const Side = z.int().positive();
const Token = z.int().nonnegative();
/**
 * Hugging Face's token hints of a text model, from its own config, its decoder's, and the generation config. Every
 * config has these fields, also of models without text, so odd values are ignored.
 */
const HfWriting = z.object({
  decoder_start_token_id: Token.nullish().catch(null),
  bos_token_id: Token.nullish().catch(null),
  eos_token_id: z
    .union([Token, z.array(Token).min(1).max(16)])
    .nullish()
    .catch(null),
  max_length: z.int().positive().nullish().catch(null),
  max_new_tokens: z.int().positive().nullish().catch(null),
});
type HfWriting = z.infer<typeof HfWriting>;
const HfConfig = HfWriting.extend({
  architectures: z.array(z.string()).nullish(),
  id2label: z.record(z.string(), z.string()).nullish(),
  problem_type: z.string().nullish(),
  model_type: z.string().nullish().catch(null),
  transformers_version: z.string().nullish().catch(null),
  image_size: Side.nullish().catch(null),
  vision_config: z
    .object({ image_size: Side.nullish().catch(null) })
    .nullish()
    .catch(null),
  // Separate text encoders have these.
  max_position_embeddings: z.int().positive().nullish().catch(null),
  pad_token_id: z.int().nonnegative().nullish().catch(null),
  // Models with a text encoder have this.
  text_config: z
    .object({
      max_position_embeddings: z.int().positive().nullish(),
      pad_token_id: z.int().nonnegative().nullish(),
    })
    .nullish(),
  // Models with a text decoder have this.
  decoder: HfWriting.nullish().catch(null),
  // timm's own field.
  architecture: z.string().nullish(),
  label_names: z.array(z.string()).nullish(),
  pretrained_cfg: z
    .object({
      input_size: z.tuple([z.int(), z.int().positive(), z.int().positive()]).nullish(),
      mean: z.array(z.number()).min(1).max(3).nullish(),
      std: z.array(z.number().positive()).min(1).max(3).nullish(),
      crop_mode: z.string().nullish(),
      crop_pct: z.number().positive().max(1).nullish(),
      interpolation: z.string().nullish(),
      label_names: z.array(z.string()).nullish(),
    })
    .nullish(),
});
const HfPreprocessor = z.object({
  do_resize: z.boolean().nullish(),
  do_rescale: z.boolean().nullish(),
  rescale_factor: z.number().positive().nullish(),
  do_normalize: z.boolean().nullish(),
  image_mean: z.array(z.number()).min(1).max(3).nullish(),
  image_std: z.array(z.number().positive()).min(1).max(3).nullish(),
  size: Size.nullish(),
  do_center_crop: z.boolean().nullish(),
  crop_size: Size.nullish(),
  do_pad: z.boolean().nullish(),
  resample: z.int().nullish(),
  image_processor_type: z.string().nullish(),
  crop_pct: z.number().positive().max(1).nullish(),
  do_flip_channel_order: z.boolean().nullish(),
});
type HfPreprocessor = z.infer<typeof HfPreprocessor>;
/** Processor file of transformers 5, which contains the picture processor. Earlier versions wrote both files. */
const HfProcessor = z.object({ image_processor: HfPreprocessor.nullish() });

/** Pillow's filter numbers; two further filters are mapped to the nearest ones. */
const PILLOW_FILTERS: readonly (ResizeFilter | undefined)[] = ['nearest', 'bicubic', 'antialiased', 'bicubic'];
/** timm's names; `random` means that a network was trained with either. */
const TIMM_FILTERS: Readonly<Record<string, ResizeFilter>> = {
  nearest: 'nearest',
  bilinear: 'antialiased',
  bicubic: 'bicubic',
  lanczos: 'bicubic',
  random: 'bicubic',
};

/**
 * Hugging Face's `config.json` with `preprocessor_config.json`, or `processor_config.json` of transformers 5, and
 * timm's `config.json`.
 */
export function huggingFace(files: SidecarFiles): Partial<ExporterHints> | null {
  const config = readSidecar(files, 'config.json', HfConfig);
  const nested = readSidecar(files, 'processor_config.json', HfProcessor)?.image_processor ?? null;
  const preprocessor = readSidecar(files, 'preprocessor_config.json', HfPreprocessor) ?? nested;
  if (config === null && preprocessor === null) return null;
  if (config?.pretrained_cfg) return timm(config);
  const labels = config?.id2label ? labelsOf(new Map(Object.entries(config.id2label))) : null;
  const multiLabel = config?.problem_type === 'multi_label_classification';
  const task = config?.architectures?.[0] ?? taskOf(config?.model_type);
  const ofText = config?.text_config ?? (/^(CLIP|Siglip\d*)Text/.test(task ?? '') ? config : null);
  const side = config?.image_size ?? config?.vision_config?.image_size ?? null;
  const said = {
    exporter: 'Hugging Face',
    task,
    ...{ width: side, height: side },
    labels,
    multiLabel,
    textLength: ofText?.max_position_embeddings ?? null,
    textPad: ofText?.pad_token_id ?? null,
    writing: writingOf([readSidecar(files, 'generation_config.json', HfWriting), config, config?.decoder]),
  };
  if (preprocessor === null) return said;
  // From version 5 on processors without a suffix crop as torchvision does, as the fast ones did before.
  const isNew = nested !== null || Number.parseInt(config?.transformers_version ?? '') >= 5;
  const type = preprocessor.image_processor_type ?? '';
  const cutsWithTorchvision = isNew ? !type.endsWith('Pil') : type.endsWith('Fast');
  const { width, height, ...pixels } = preprocessing(preprocessor, cutsWithTorchvision);
  return { ...said, ...pixels, width: width ?? said.width, height: height ?? said.height };
}

/** Returns the task of a config without architectures. */
function taskOf(type: string | null | undefined): string | null {
  const [, kin, half] = /^(clip|siglip2?)_?(text|vision)?/.exec(type ?? '') ?? [];
  if (kin === undefined) return null;
  const name = kin === 'clip' ? 'CLIP' : `S${kin.slice(1)}`;
  return `${name}${half === undefined ? '' : half === 'text' ? 'Text' : 'Vision'}Model`;
}

/** Returns the first value of each hint. */
function writingOf(said: readonly (HfWriting | null | undefined)[]): ExporterHints['writing'] {
  const first = <T>(of: (one: HfWriting) => T | null | undefined): T | null => {
    for (const one of said) {
      const value = one == null ? null : of(one);
      if (value != null) return value;
    }
    return null;
  };
  const end = first(({ eos_token_id }) => eos_token_id);
  const more = first(({ max_new_tokens }) => max_new_tokens);
  return {
    start: first(({ decoder_start_token_id }) => decoder_start_token_id) ?? first(({ bos_token_id }) => bos_token_id),
    end: typeof end === 'number' ? [end] : end,
    length: more === null ? first(({ max_length }) => max_length) : more + 1,
  };
}

function preprocessing(said: HfPreprocessor, cutsWithTorchvision: boolean) {
  const size = (said.do_center_crop === true ? said.crop_size : null) ?? said.size ?? null;
  const side = typeof size === 'number' ? { height: size, width: size } : size;
  const edges = side !== null && 'height' in side ? side : { height: null, width: null };
  const cropped = cropOf(said);
  const isPadded = said.do_pad === true && !(isExact(said.size) && IN_BATCHES.test(said.image_processor_type ?? ''));
  const padded = isPadded ? ('letterbox' as const) : ('stretch' as const);
  const scale = said.do_rescale === false ? 1 : (said.rescale_factor ?? 1 / 255);
  const normalised = said.do_normalize !== false;
  return {
    ...(cropped?.edges ?? edges),
    colour: said.do_flip_channel_order === true ? ('bgr' as const) : ('rgb' as const),
    // (value × scale − mean) / std, written for values of 0..255.
    mean: (normalised ? (said.image_mean ?? [0, 0, 0]) : [0, 0, 0]).map((mean) => mean / scale),
    std: (normalised ? (said.image_std ?? [1, 1, 1]) : [1, 1, 1]).map((std) => std / scale),
    resize: said.do_center_crop === true || cropped?.shorterSide != null ? ('crop' as const) : padded,
    shorterSide: cropped?.shorterSide ?? null,
    floorCrop: (said.do_center_crop === true || cropped?.shorterSide != null) && !cutsWithTorchvision,
    filter: PILLOW_FILTERS[said.resample ?? 2] ?? 'antialiased',
  };
}

/**
 * DETR and its relatives (image_processing_detr.py): a size that names both sides stretches the picture, and padding
 * only fills up to the largest of the batch, so that nothing remains to pad.
 */
const IN_BATCHES = /(Detr|Yolos|Deta|GroundingDino)ImageProcessor/;

function isExact(size: z.infer<typeof Size> | null | undefined): boolean {
  return typeof size === 'object' && size !== null && 'height' in size;
}

/** Side from which ConvNeXt stretches pictures without cropping (image_processing_convnext.py). */
const CONVNEXT_SQUASHES_FROM = 384;

/** Returns the size of a picture before its centre is cropped, and the crop's where that is implied; null: no crop. */
function cropOf(
  said: HfPreprocessor,
): { shorterSide: number | null; edges?: { width: number; height: number } } | null {
  const { image_processor_type: type, crop_pct: share } = said;
  const shorter = shorterSideOf(said.size);
  if (shorter !== null && /^ConvNext/i.test(type ?? '')) {
    const edges = { width: shorter, height: shorter };
    if (shorter >= CONVNEXT_SQUASHES_FROM) return { shorterSide: null, edges };
    return { shorterSide: Math.floor(shorter / (share ?? 224 / 256)), edges };
  }
  if (said.do_center_crop !== true) return null;
  if (shorter === null || said.do_resize === false) return { shorterSide: shorter };
  // image_processing_levit.py and image_processing_poolformer.py.
  if (/^Levit/.test(type ?? '')) return { shorterSide: Math.floor((256 / 224) * shorter) };
  return { shorterSide: share == null ? shorter : Math.floor(shorter / share) };
}

function shorterSideOf(size: z.infer<typeof Size> | null | undefined): number | null {
  if (size == null) return null;
  if (typeof size === 'number') return size;
  return 'shortest_edge' in size ? size.shortest_edge : Math.min(size.height, size.width);
}

function timm({ architecture, label_names, pretrained_cfg }: z.infer<typeof HfConfig>): Partial<ExporterHints> {
  const { input_size, mean, std, crop_mode, crop_pct, interpolation, label_names: trained } = pretrained_cfg ?? {};
  const side = input_size === undefined || input_size === null ? null : Math.max(input_size[1], input_size[2]);
  return {
    exporter: 'timm',
    task: architecture ?? null,
    labels: label_names ?? trained ?? null,
    height: input_size?.[1] ?? null,
    width: input_size?.[2] ?? null,
    colour: 'rgb',
    mean: mean?.map((value) => value * 255) ?? null,
    std: std?.map((value) => value * 255) ?? null,
    resize: crop_mode === 'squash' ? 'stretch' : crop_mode === 'border' ? 'letterbox' : 'crop',
    // timm/data/transforms_factory.py: the kept share, and its default.
    shorterSide: side === null || (crop_mode ?? 'center') !== 'center' ? null : Math.floor(side / (crop_pct ?? 0.875)),
    filter: TIMM_FILTERS[interpolation ?? 'bilinear'] ?? 'antialiased',
  };
}
