import type { ExporterHints } from '@adit/inference';
import { FAILSAFE_SCHEMA, load } from 'js-yaml';
import { z } from 'zod';
import { refused } from './refusal.js';

const Three = z.array(z.coerce.number()).length(3);
/** One pre-processing step; most have no parameters. */
const Step = z.object({
  DecodeImage: z.object({ img_mode: z.enum(['BGR', 'RGB']).optional() }).optional(),
  NormalizeImage: z.object({ mean: Three, std: Three }).optional(),
});
const Config = z.object({
  PreProcess: z.object({ transform_ops: z.array(Step).max(64).default([]) }).default({ transform_ops: [] }),
  PostProcess: z.object({ name: z.string(), character_dict: z.array(z.string()).max(100_000).optional() }),
});

/** Names of text recognisers and detectors in `PostProcess.name`. */
const TASKS: Readonly<Record<string, string>> = { CTCLabelDecode: 'text-recognition', DBPostProcess: 'text-detection' };

/**
 * Reads the file that PaddleOCR (3.0 and newer) writes beside each exported model: pre-processing, decoding, and a
 * recogniser's characters. Mean and std are for 0..1, in the order of its colours. Throws VALIDATION for another
 * content.
 */
export function paddleConfig(text: string): Partial<ExporterHints> {
  const { PreProcess, PostProcess } = parsed(text);
  const steps = PreProcess.transform_ops;
  const normalised = steps.find(({ NormalizeImage }) => NormalizeImage !== undefined)?.NormalizeImage;
  const task = TASKS[PostProcess.name] ?? PostProcess.name;
  // Recognisers normalise each line to −1..1 when resizing (RecResizeImg).
  const { mean, std } = normalised ?? { mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5] };
  const isKnown = normalised !== undefined || task === 'text-recognition';
  const mode = steps.find(({ DecodeImage }) => DecodeImage !== undefined)?.DecodeImage?.img_mode ?? 'BGR';
  return {
    exporter: 'PaddleOCR',
    task,
    labels: PostProcess.character_dict ?? null,
    colour: mode === 'RGB' ? 'rgb' : 'bgr',
    filter: 'bilinear',
    ...(isKnown ? { mean: mean.map((value) => value * 255), std: std.map((value) => value * 255) } : {}),
  };
}

function parsed(text: string): z.infer<typeof Config> {
  let value: unknown;
  try {
    // All scalars stay text, since `no` and `1` are characters like any other.
    value = load(text, { schema: FAILSAFE_SCHEMA, maxAliases: 0 });
  } catch {
    throw refused('inference.yml beside the graph is not YAML as PaddleOCR writes it: mend it, or take it away.');
  }
  const checked = Config.safeParse(value);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw refused(
    `inference.yml beside the graph is not as PaddleOCR writes it (${issue?.path.join('.')}: ${issue?.message}).`,
  );
}
