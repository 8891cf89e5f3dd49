import type { Transcript } from '../transcript.js';

/** A line for each paragraph, behind the name of who speaks, and a blank line between them. */
export async function* txtOf({ paragraphs }: Transcript): AsyncGenerator<string> {
  let before = '';
  for await (const { speaker, text } of paragraphs) {
    yield `${before}${speaker === null ? '' : `${speaker}: `}${text.trim()}\n`;
    before = '\n';
  }
}
