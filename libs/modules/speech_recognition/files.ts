import { SpeechMeta, type TranscriptFormat } from '@adit/contracts';
import { sourceName, type FoundInJob, type ModuleFile } from '@adit/module-kit';
import { TRANSCRIPT_FORMATS, type SpokenParagraph } from '@adit/transcripts';
import type { SpeechArguments } from './args.js';

/** Result types: speech, and its translation. */
const TYPES = ['speech', 'translation'] as const;

/**
 * Yields the requested subtitles and documents of each source: `talk.de.srt`, and `talk.translation.en.srt` where there
 * is a translation. Where nobody speaks they are empty, and the language is `und`; with several sources their numbers
 * come first.
 */
export async function* dumpedFiles(args: SpeechArguments, found: FoundInJob): AsyncGenerator<ModuleFile> {
  const formats: TranscriptFormat[] = [
    ...(args.dump_srt ? (['srt'] as const) : []),
    ...(args.dump_docx ? (['docx'] as const) : []),
  ];
  for (const { index, name: source } of found.sources) {
    const number = found.sources.length > 1 ? `${index + 1}-` : '';
    for (const type of formats.length > 0 ? TYPES : []) {
      const first = await firstSaid(found, index, type);
      if (first === null && type === 'translation') continue;
      const language = first?.language ?? null;
      for (const format of formats) {
        const { extension, mimeType, write } = TRANSCRIPT_FORMATS[format];
        const name = [
          `${number}${sourceName(source) || 'source'}`,
          ...(type === 'speech' ? [] : [type]),
          language ?? 'und',
        ];
        yield {
          filename: `${name.join('.')}.${extension}`,
          mimeType,
          body: write(
            { language, paragraphs: paragraphs(found, index, type) },
            { underlineWords: args.underline_words_in_srt },
          ),
        };
      }
    }
  }
}

async function firstSaid(found: FoundInJob, sourceIndex: number, type: string): Promise<SpeechMeta | null> {
  for await (const { meta } of found.segments(sourceIndex, type)) return SpeechMeta.parse(meta);
  return null;
}

async function* paragraphs(found: FoundInJob, sourceIndex: number, type: string): AsyncGenerator<SpokenParagraph> {
  for await (const { timeStart, timeEnd, meta } of found.segments(sourceIndex, type)) {
    const { text, speaker, words = [] } = SpeechMeta.parse(meta);
    yield { text, speaker, words, time_start: timeStart, time_end: timeEnd };
  }
}
