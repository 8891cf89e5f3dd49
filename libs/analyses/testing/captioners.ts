import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Hugging Face exports of small models that name the colours of a picture's halves; see golden/README.md there. */
export const CAPTIONERS = join(import.meta.dirname, '../../inference/families/captioning/golden');

/** One with the cache of its tokens alone, and one with that of the picture too. */
export type CaptionerKind = 'gpt2' | 'trocr';

/** Test helper: writes one of them into a folder of models, as `name` and `<name>-decoder`. */
export async function writeCaptioner(root: string, name: string, kind: CaptionerKind): Promise<void> {
  const common = {
    kind: 'network',
    modules: ['object_scene_recognition'],
    licence: 'none',
    origin: 'written by the specs',
  };
  const pixels = { width: 32, height: 32, mean: [127.5], std: [127.5], resize: 'stretch', filter: 'antialiased' };
  await write(root, kind, 'encoder_model', {
    ...{ ...common, name, task: 'image-to-text', family: 'captioning' },
    input: { tensor: 'pixel_values', ...pixels },
  });
  const token = kind === 'gpt2' ? 0 : 2;
  await write(root, kind, 'decoder_model_merged', {
    ...{ ...common, name: `${name}-decoder`, task: 'text-generation', family: 'text-decoder' },
    writing: { start: token, end: [token], length: 16 },
  });
}

async function write(
  root: string,
  kind: CaptionerKind,
  graph: string,
  manifest: { name: string; [field: string]: unknown },
): Promise<void> {
  const folder = join(root, manifest.name);
  await mkdir(join(folder, '1'), { recursive: true });
  await writeFile(join(folder, 'model.yaml'), JSON.stringify(manifest));
  await writeFile(join(folder, '1/model.onnx'), gunzipSync(await readFile(join(CAPTIONERS, kind, `${graph}.onnx.gz`))));
  await writeFile(join(folder, '1/tokenizer.json'), await readFile(join(CAPTIONERS, kind, 'tokenizer.json')));
}
