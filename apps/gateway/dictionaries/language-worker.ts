/** The thread that detects languages, as `LanguageThread` starts it. */
import { answerRequests, lowerPriority } from '@adit/runtime/thread-requests';
import type { DetectedLanguage } from './language-thread.js';

/** Behind the engine, as the programs are that it runs over media. */
const NICENESS = 5;

lowerPriority(NICENESS);

// Loading the detector's tables takes half a second of CPU.
const loaded = import('eld/small');
answerRequests(async (text: string): Promise<DetectedLanguage> => {
  const { eld } = await loaded;
  const detected = eld.detect(text);
  return { language: detected.language, isReliable: detected.isReliable() };
});
