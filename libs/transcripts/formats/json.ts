import type { Transcript } from '../transcript.js';
import { type TranscriptFileFormat, utf8 } from '../transcript-format.js';
import { wordsOfText } from '../word-times.js';

/** The paragraphs as the API shows them, every word with its times. */
export const json: TranscriptFileFormat<'json'> = {
  name: 'json',
  mimeType: 'application/json',
  extension: 'json',
  write: (transcript) => utf8(textOf(transcript)),
};

async function* textOf({ language, paragraphs }: Transcript): AsyncGenerator<string> {
  yield `{"language":${JSON.stringify(language)},"paragraphs":[`;
  let index = 0;
  for await (const paragraph of paragraphs) {
    const { text, speaker, time_start, time_end } = paragraph;
    const shown = { index, text, speaker, time_start, time_end, words: wordsOfText(paragraph) };
    yield `${index === 0 ? '' : ','}\n${JSON.stringify(shown)}`;
    index += 1;
  }
  yield '\n]}\n';
}
