import { clockTime } from '@adit/contracts';
import { XML_HEADER, xmlText } from '@adit/ooxml';
import { lineText } from '../cue-lines.js';
import { cuesOf } from '../cues.js';
import type { Transcript } from '../transcript.js';
import { type TranscriptFileFormat, utf8 } from '../transcript-format.js';

/** TTML2 in the text profile of IMSC 1.1 (W3C); a speaker is a `ttm:agent`, declared where they speak first. */
export const ttml: TranscriptFileFormat<'ttml'> = {
  name: 'ttml',
  mimeType: 'application/ttml+xml',
  extension: 'ttml',
  write: (transcript) => utf8(textOf(transcript)),
};

async function* textOf({ language, paragraphs }: Transcript): AsyncGenerator<string> {
  const agents = new Map<string, string>();
  yield (
    `${XML_HEADER}<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" ` +
    'xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xmlns:tts="http://www.w3.org/ns/ttml#styling" ttp:timeBase="media" ' +
    `ttp:contentProfiles="http://www.w3.org/ns/ttml/profile/imsc1.1/text" xml:lang="${xmlText(language ?? '')}">` +
    '<head><layout><region xml:id="bottom" tts:origin="10% 80%" tts:extent="80% 15%" tts:displayAlign="after" ' +
    'tts:textAlign="center"/></layout></head><body region="bottom"><div>\n'
  );
  for await (const { start, end, speaker, lines } of cuesOf(paragraphs)) {
    const text = lines.map((words) => xmlText(lineText(words))).join('<br/>');
    const times = `begin="${clockTime(start, '.')}" end="${clockTime(end, '.')}"`;
    if (speaker === null) {
      yield `<p ${times}>${text}</p>\n`;
      continue;
    }
    const known = agents.get(speaker);
    const agent = known ?? `speaker${agents.size + 1}`;
    agents.set(speaker, agent);
    const declaration =
      known === undefined
        ? `<ttm:agent xml:id="${agent}" type="person"><ttm:name type="full">${xmlText(speaker)}</ttm:name></ttm:agent>`
        : '';
    yield `<p ${times} ttm:agent="${agent}">${declaration}${text}</p>\n`;
  }
  yield '</div></body></tt>\n';
}
