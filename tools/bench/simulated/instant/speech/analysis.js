// A sentence in each chunk of sound.
// Its networks stay those of the analysis: a job asks for what the gateway knows, and another build's work is left to that.
import { analysesFolder } from '@adit/analyses';
import { AnalysisRegistry } from '@adit/inference';

const speech = (await AnalysisRegistry.scan(analysesFolder)).get('speech');
const SENTENCE = 'Good evening, and welcome to the news of the hour.'.split(' ');
const WORD_SECONDS = 0.4;

export default {
  ...speech,
  async analyse({ packs: [pack] }) {
    const [{ sampleRate }] = speech.input.specs({});
    const own = { start: pack.ownStart / sampleRate, end: pack.ownEnd / sampleRate };
    const words = SENTENCE.map((text, at) => ({
      text,
      ...{ parted: true, probability: 0.9 },
      ...{ start: own.start + at * WORD_SECONDS, end: own.start + (at + 1) * WORD_SECONDS },
    })).filter(({ end }) => end <= own.end);
    const said = { start: own.start, end: words.at(-1)?.end ?? own.start };
    const segment = { ...said, text: words.map(({ text }) => text).join(' '), confidence: 0.9, words };
    return {
      ...own,
      ...{ language: 'en', languageProbability: 0.99, voices: [said], translation: [] },
      segments: words.length === 0 ? [] : [segment],
    };
  },
};
