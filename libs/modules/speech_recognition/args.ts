import { StandardArguments } from '@adit/contracts';
import { z } from 'zod';
import { LANGUAGES } from './languages.js';

export const SpeechArguments = StandardArguments.extend({
  language: z
    .enum(['auto', ...LANGUAGES])
    .default('auto')
    .describe('The language that is spoken, by its code (ISO 639-1); `auto` listens which it is.'),
  audio_track: z
    .union([
      z.int().min(0).max(999),
      z.string().regex(/^(?:auto|all|\d{1,3}|[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3})$/, {
        error: 'A number from 0, a language (`de`, `deu`), `auto` or `all`.',
      }),
    ])
    .default('auto')
    .describe(
      'Which track of sound is heard: its number among them, from 0, its language as the file states it, or `all` of them mixed; `auto` is the default one of the file, and where that is silent the first that is not. `info` of a result lists them. Of a live stream `auto` is the default one, and `all` is refused.',
    ),
  mode: z
    .enum(['quality', 'performance'])
    .default('quality')
    .describe(
      '`quality` weighs five texts against each other (beam search) and tries again what it is not sure of; `performance` hardly ever.',
    ),
  format_paragraph: z
    .boolean()
    .default(true)
    .describe(
      'Paragraphs by sentences, pauses and speakers, and of a live stream each sentence; false: each stretch that was recognised on its own.',
    ),
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
    .describe('Names of people, places and organisations as `entities`, in English; null for other languages.'),
  dump_srt: z
    .boolean()
    .default(false)
    .describe(
      'Subtitles (SRT) of each source as an artifact: lines of at most 42 characters, two at a time, 1 to 7 s.',
    ),
  underline_words_in_srt: z
    .boolean()
    .default(false)
    .describe('For `dump_srt`: underline each word while it is said; without it nothing.'),
  dump_docx: z.boolean().default(false).describe('The paragraphs of each source as a document for Word, an artifact.'),
  word_level_timestamps: z.boolean().default(false).describe('`words` in each result: when each of them is said.'),
  translation_language: z
    .enum(['none', 'en'], {
      error: 'Speech is translated to English alone: `none` or `en`. No model for another language is installed.',
    })
    .default('none')
    .describe('`en`: results of type `translation`, in English, besides.'),
});
export type SpeechArguments = z.infer<typeof SpeechArguments>;
