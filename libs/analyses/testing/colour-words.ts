import { readFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TextTokenizer } from '@adit/inference/families/text-embedding/tokenizer';
import { colourEncoderGraph, textEncoderGraph } from '@adit/inference/spec-graph';
import { z } from 'zod';

const GOLDEN = join(import.meta.dirname, '../../inference/families/text-embedding/golden/tokenizers.json');
const Golden = z.object({ clip: z.object({ tokenizer: z.looseObject({}) }) });

/**
 * Test helper: writes an image-text model into a folder of models, `name` and `<name>-text`: pictures by their mean
 * colour, texts by the words red, green and blue in them; `more` is appended to the first model.yaml.
 */
export async function writeColourWords(root: string, name: string, { more = '', width = 3 } = {}): Promise<void> {
  const { clip } = Golden.parse(JSON.parse(await readFile(GOLDEN, 'utf8')));
  const file = JSON.stringify(clip.tokenizer);
  const tokenizer = TextTokenizer.read(Buffer.from(file));
  const table = Array.from({ length: 1_200 }, () => Array<number>(width).fill(0));
  for (const [channel, word] of ['red', 'green', 'blue'].entries()) {
    const [, token = 0] = tokenizer.encode(word, 77);
    table[token] = Array.from({ length: width }, (_, at) => (at === channel ? 1 : 0));
  }
  const common = 'kind: network\nmodules: [object_scene_recognition]\nlicence: none\norigin: written by the specs\n';
  const pixels =
    'tensor: pixel_values, width: 32, height: 32, mean: [0], std: [255], resize: stretch, filter: bilinear';
  await write(root, name, colourEncoderGraph(32), {
    'model.yaml': `name: ${name}\n${common}task: zero-shot-image-classification\nfamily: image-text\ndecoding: clip\ndimensions: 3\nsimilarity: { scale: 10 }\ninput: { ${pixels} }\n${more}`,
  });
  await write(root, `${name}-text`, textEncoderGraph(table), {
    'model.yaml': `name: ${name}-text\n${common}task: text-embedding\nfamily: text-embedding\ndimensions: ${width}\ntext: { tensor: input_ids, length: 77, template: 'a photo of a {}.' }\n`,
    '1/tokenizer.json': file,
  });
}

async function write(root: string, name: string, graph: Buffer, files: Record<string, string>): Promise<void> {
  await mkdir(join(root, name, '1'), { recursive: true });
  await writeFile(join(root, name, '1/model.onnx'), graph);
  for (const [file, content] of Object.entries(files)) await writeFile(join(root, name, file), content);
}
