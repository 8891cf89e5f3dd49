import { StandardArguments } from '@adit/contracts';
import { z } from 'zod';
import { LANGUAGES } from './languages.js';

/** Jobs keep no files beside their results. */
function noFile(argument: string): z.ZodType<boolean, boolean> {
  const error =
    `A job writes no files yet: leave out ${argument}, make a transcript of the job (POST /v1/transcripts/), and export it ` +
    'by a task of type transcript_export.';
  return z.boolean().refine((wanted) => !wanted, { error });
}

export const SpeechArguments = StandardArguments.extend({
  language: z
    .enum(['auto', ...LANGUAGES])
    .default('auto')
    .describe('The language that is spoken, by its code (ISO 639-1); `auto` listens which it is.'),
  mode: z
    .enum(['quality', 'performance'])
    .default('quality')
    .describe('`quality` tries again what it is not sure of; `performance` hardly ever.'),
  format_paragraph: z
    .boolean()
    .default(true)
    .describe('Paragraphs by sentences and pauses; false: each stretch that was recognised on its own.'),
  enable_vad: z.boolean().default(false).describe('Leave out what is said where `vad_threshold` hears nobody.'),
  vad_threshold: z
    .number()
    .min(0)
    .max(1)
    .default(0.6)
    .describe('How likely somebody must speak, for `enable_vad` and `detect_silence`.'),
  detect_silence: z.boolean().default(false).describe('Results of type `silence` where nobody speaks.'),
  merge_voice_gap_seconds: z
    .number()
    .min(0)
    .max(60)
    .default(0.5)
    .describe('Pauses up to this long belong to the voice around them.'),
  enable_ner: z
    .boolean()
    .default(false)
    .describe(
      'Names of people, places and organisations as `entities`; null where nothing is installed that finds them.',
    ),
  dump_srt: noFile('dump_srt').default(false).describe('Subtitles as an artifact; not yet: export a transcript.'),
  underline_words_in_srt: z
    .boolean()
    .default(false)
    .describe('For `dump_srt`: underline each word while it is said; without it nothing.'),
  dump_docx: noFile('dump_docx').default(false).describe('The text as a DOCX artifact; not yet: export a transcript.'),
  word_level_timestamps: z.boolean().default(false).describe('`words` in each result: when each of them is said.'),
  translation_language: z
    .enum(['none', 'en'], {
      error: 'Speech is translated to English alone: `none` or `en`. No model for another language is installed.',
    })
    .default('none')
    .describe('`en`: results of type `translation`, in English, besides.'),
});
export type SpeechArguments = z.infer<typeof SpeechArguments>;
