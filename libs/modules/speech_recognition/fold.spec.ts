import { describe, expect, it } from '@jest/globals';
import type { HeardWord, SpeechObservations } from '@adit/analyses/speech/observations';
import { AppliedDictionaries, NO_DICTIONARIES, type LabelDictionaries } from '@adit/dictionaries';
import type { FoldContext, FoldInput, Segment } from '@adit/module-kit';
import { SpeechArguments } from './args.js';
import { entitiesOf } from './entities.js';
import { SpeechFold } from './fold.js';

const CONTEXT: FoldContext = {
  sourceIndex: 0,
  facts: { kind: 'audio', container: 'wav', codec: 'pcm', duration: 60, channels: 1, sampleRate: 16_000 },
};

/** Words of 0.4 s, 0.1 s apart; a number is a pause in seconds. */
function said(from: number, ...parts: (string | number)[]): HeardWord[] {
  const words: HeardWord[] = [];
  let at = from;
  for (const part of parts) {
    if (typeof part === 'number') at += part;
    else {
      for (const text of part.split(' ')) {
        words.push({ text, parted: true, start: at, end: at + 0.4, probability: 0.9 });
        at += 0.5;
      }
    }
  }
  return words;
}

function heard(start: number, end: number, words: HeardWord[], percent?: number[]): FoldInput {
  const speech: SpeechObservations = {
    start,
    end,
    language: words.length > 0 ? 'en' : null,
    languageProbability: 1,
    voices: [],
    segments: words.length === 0 ? [] : [{ start, end, text: '', confidence: 0.9, words }],
    translation: [],
  };
  const voice = percent === undefined ? {} : { 'voice-activity': { first: Math.round(start / 0.032), percent } };
  // What a fold is told of the unit beside is not read here.
  return { unit: {} as FoldInput['unit'], observations: { speech, ...voice } };
}

function folded(units: FoldInput[], args: object = {}, dictionaries: LabelDictionaries = NO_DICTIONARIES): Segment[] {
  const fold = new SpeechFold(SpeechArguments.parse(args), dictionaries);
  let state = fold.start();
  const segments: Segment[] = [];
  for (const unit of units) {
    const before = JSON.stringify(state);
    const step = fold.fold(state, unit, CONTEXT);
    expect(JSON.stringify(state)).toBe(before);
    segments.push(...step.segments);
    state = JSON.parse(JSON.stringify(step.state)) as typeof state;
  }
  return [...segments, ...fold.close(state, CONTEXT).segments];
}

const texts = (segments: Segment[]): unknown[] => segments.map(({ meta }) => meta['text']);

describe('the fold of speech', () => {
  it('makes paragraphs of sentences, over the cuts of units, wherever those are', () => {
    const words = said(0, 'It was late.', 1, 'Nobody came and', 'the light', 'went out.', 3, 'Then');
    const whole = folded([heard(0, 30, words)]);
    expect(texts(whole)).toEqual(['It was late.', 'Nobody came and the light went out.', 'Then']);
    for (let cut = 1; cut < words.length; cut++) {
      const at = words[cut]!.start - 0.05;
      expect(folded([heard(0, at, words.slice(0, cut)), heard(at, 30, words.slice(cut))])).toEqual(whole);
    }
    expect(whole[1]).toMatchObject({
      type: 'speech',
      frameStart: null,
      timeStart: words[3]!.start,
      timeEnd: words[9]!.end,
      meta: { language: 'en', speaker: null, confidence: 0.9 },
    });
    expect(whole[1]!.meta['words']).toHaveLength(7);
  });

  it('gives each stretch on its own when no paragraphs are asked for', () => {
    const [one, two] = [said(0, 'one two'), said(1.5, 'three')];
    expect(texts(folded([heard(0, 1.2, one), heard(1.2, 3, two)], { format_paragraph: false }))).toEqual([
      'one two',
      'three',
    ]);
  });

  it('leaves out what is said where nobody is heard, and tells of silence', () => {
    const words = said(0, 'hello', 2.5, 'thanks for watching');
    const percent = [...Array(31).fill(90), ...Array(157).fill(0)] as number[];
    const [speech, silence] = folded([heard(0, 6, words, percent)], { enable_vad: true, detect_silence: true });
    expect(speech!.meta['text']).toBe('hello');
    expect(silence).toMatchObject({ type: 'silence', timeStart: 0.992, timeEnd: 6, meta: { duration: 5.008 } });
    expect(texts(folded([heard(0, 6, words, percent)]))).toEqual(['hello', 'thanks for watching']);
  });

  it('tells of one silence over several units', () => {
    const nobody = Array<number>(156).fill(0);
    const units = [heard(0, 5, [], nobody), heard(5, 10, [], nobody)];
    expect(folded(units, { detect_silence: true })).toMatchObject([{ type: 'silence', timeStart: 0, timeEnd: 10 }]);
  });

  it('spells words and pairs of words as dictionaries do, with their punctuation', () => {
    const dictionaries = new AppliedDictionaries([
      {
        specification: { id: '1', mode: 'exact', threshold: 0.8 },
        dictionary: {
          name: 'given',
          type: 'map',
          language: 'any',
          entries: [
            { source: 'cooper netties', target: 'Kubernetes' },
            { source: 'add it', target: 'Adit' },
          ],
        },
      },
    ]);
    const words = said(0, 'We run add it, on cooper netties.');
    const [paragraph] = folded([heard(0, 10, words)], {}, dictionaries);
    expect(paragraph!.meta['text']).toBe('We run Adit, on Kubernetes.');
    expect(paragraph!.meta['words']).toHaveLength(5);
  });

  it('says who and what is named, where it is asked to', () => {
    const fold = new SpeechFold(SpeechArguments.parse({ enable_ner: true }), NO_DICTIONARIES, entitiesOf);
    const { state } = fold.fold(fold.start(), heard(0, 10, said(0, 'Ada Lovelace was in London.')), CONTEXT);
    expect(fold.close(state, CONTEXT).segments[0]!.meta['entities']).toEqual([
      { text: 'Ada Lovelace', type: 'person' },
      { text: 'London', type: 'place' },
    ]);
    expect(folded([heard(0, 10, said(0, 'London.'))])[0]!.meta).not.toHaveProperty('entities');
  });
});
