import { AditError } from '@adit/contracts';
import { floatsOf, runOnPicture, type NetworkSession, type RgbImage } from '@adit/inference';
import { comparable, ImageTextDecoding, likeness } from '@adit/inference/families/image-text/similarity';
import { tokenRow } from '@adit/inference/families/text-embedding/tokenizer';
import { TOKENIZERS } from '@adit/inference/families/text-embedding/tokenizer-thread';
import { likely, type Likely } from './classify.js';

/** Text embeddings cached per encoder for the following chunks: 2 KiB each, as a rule. */
const KEPT_TEXTS = 4_096;

/** Embeddings by text, per encoder session. */
const known = new WeakMap<NetworkSession, Map<string, Float32Array>>();

/**
 * Scores pictures for words, with a picture encoder and its text encoder. Throws VALIDATION when the two do not belong
 * together, or without words.
 */
export async function wordScorer(
  pictures: NetworkSession,
  texts: NetworkSession,
  { words, presets, signal }: { words: readonly string[]; presets: boolean; signal: AbortSignal },
): Promise<(picture: RgbImage) => Promise<Likely>> {
  const { similarity, dimensions, decoding, labels = [] } = pictures.manifest;
  const sought = [...new Set([...words, ...(presets ? labels : [])])];
  if (similarity === undefined || dimensions === undefined || sought.length === 0) {
    throw new AditError(
      'VALIDATION',
      `${pictures.name} has no words to look for: pass \`words\`, or a dictionary of words that is short enough to be read whole.`,
    );
  }
  if (texts.manifest.dimensions !== dimensions) {
    const other = texts.manifest.dimensions ?? 'no';
    throw new AditError(
      'VALIDATION',
      `${pictures.name} gives ${dimensions} numbers and ${texts.name} gives ${other}: they are not of one model. Add both from one export.`,
    );
  }
  const vectors: Float32Array[] = [];
  for (const word of sought) {
    signal.throwIfAborted();
    vectors.push(await vectorOf(texts, word, dimensions));
  }
  const read = ImageTextDecoding.parse(decoding);
  return async (picture) => {
    const outputs = await runOnPicture(pictures, picture, 'whole');
    return likely(likeness(comparable(pictures.name, outputs, dimensions), vectors, similarity, read), sought);
  };
}

async function vectorOf(network: NetworkSession, label: string, dimensions: number): Promise<Float32Array> {
  const { text } = network.manifest;
  if (text === undefined) throw new AditError('VALIDATION', `The model.yaml of ${network.name} has no text.`);
  const vectors = known.get(network) ?? new Map<string, Float32Array>();
  known.set(network, vectors);
  const before = vectors.get(label);
  if (before !== undefined) return before;
  const sentence = text.template.replaceAll('{}', () => label);
  const ids = await TOKENIZERS.encode(network, sentence, text.length);
  const vector = comparable(network.name, floatsOf(await network.run(tokenRow(ids, text))), dimensions);
  if (vectors.size >= KEPT_TEXTS) vectors.clear();
  vectors.set(label, vector);
  return vector;
}
