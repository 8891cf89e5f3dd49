import { AditError, languageCode } from '@adit/contracts';
import { openDictionaries, servesLanguage } from '@adit/dictionaries';
import { defineModule, pointerTo, type AnalysisNeed, type InstalledModel } from '@adit/module-kit';
import { SpeechArguments } from './args.js';
import { dumpedFiles } from './files.js';
import { SpeechFold } from './fold.js';
import { findableSpeech } from './findable.js';

const ID = 'speech_recognition';
const MODEL = 'whisper-base';
const VOICES = 'resemblyzer';

/** Reports what is said, when, and in which language. */
export default defineModule({
  id: ID,
  version: 1,
  args: SpeechArguments,
  media: ['audio', 'video'],
  models: (_, installed) => {
    checkInstalled(installed);
    return [];
  },
  slots: [
    { name: MODEL, purpose: `Recognises speech; without it there is none: adit model pull ${MODEL}.` },
    { name: VOICES, purpose: `Tells speakers apart; without it \`speaker\` is null: adit model pull ${VOICES}.` },
  ],
  // Paragraphs, thresholds and spelling apply to the observations: a change of them costs no second analysis.
  needs: (args, _, installed): AnalysisNeed[] => [
    {
      analysis: 'speech',
      args: { language: args.language, mode: args.mode, translate: args.translation_language === 'en', ...heard(args) },
    },
    ...(installed.some(({ name }) => name === VOICES) ? [{ analysis: 'voices', args: heard(args) }] : []),
    ...(args.enable_vad || args.detect_silence ? [{ analysis: 'voice-activity', args: heard(args) }] : []),
  ],
  // Expected words improve recognition; other words are another analysis.
  withWords: (need, words) => {
    if (need.analysis !== 'speech') return need;
    const spoken = need.args['language'];
    const language = typeof spoken === 'string' && spoken !== 'auto' ? spoken : undefined;
    const served = words.filter((word) => servesLanguage(word.language, language));
    const keywords = [...new Set(served.map(({ text }) => text))];
    return keywords.length === 0 ? need : { ...need, args: { ...need.args, keywords } };
  },
  open: async (args, context) => {
    // Megabytes of English data are loaded on request only.
    const entities = args.enable_ner ? await import('./entities.js') : null;
    return new SpeechFold(args, await openDictionaries(args, context), entities?.entitiesOf);
  },
  files: dumpedFiles,
  findable: findableSpeech,
});

/** Normalises the track's name, so that cached observations are found. */
function heard({ audio_track: asked }: SpeechArguments): { track?: string } {
  const track = String(asked).toLowerCase();
  if (track === 'auto') return {};
  if (/^\d+$/.test(track)) return { track: String(Number(track)) };
  return { track: track === 'all' ? track : (languageCode(track) ?? track) };
}

function checkInstalled(installed: readonly InstalledModel[]): void {
  if (installed.some(({ name }) => name === MODEL)) return;
  const message = `${ID} needs the model ${MODEL}, which does not come with Adit. This brings it: adit model pull ${MODEL}`;
  throw new AditError('MODEL_NOT_INSTALLED', message, {
    errors: [{ pointer: pointerTo('modules', ID), code: 'model_not_installed', message }],
  });
}
