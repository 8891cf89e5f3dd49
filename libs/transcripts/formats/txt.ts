import type { Transcript } from '../transcript.js';
import { type TranscriptFileFormat, utf8 } from '../transcript-format.js';

/** A line for each paragraph, behind the name of who speaks, and a blank line between them. */
export const txt: TranscriptFileFormat<'txt'> = {
  name: 'txt',
  mimeType: 'text/plain; charset=utf-8',
  extension: 'txt',
  write: (transcript) => utf8(textOf(transcript)),
};

async function* textOf({ paragraphs }: Transcript): AsyncGenerator<string> {
  let before = '';
  for await (const { speaker, text } of paragraphs) {
    yield `${before}${speaker === null ? '' : `${speaker}: `}${text.trim()}\n`;
    before = '\n';
  }
}
