import { describe, expect, it } from '@jest/globals';
import { encodeDirection } from '@adit/analyses/image-embedding/vector-code';
import type { RecognisedWord, SpeechObservations } from '@adit/analyses/speech/observations';
import { HOP_SECONDS, WINDOW_SECONDS } from '@adit/analyses/voices/observations';
import { AppliedDictionaries, NO_DICTIONARIES, type LabelDictionaries } from '@adit/dictionaries';
import type { FoldContext, FoldInput, Segment } from '@adit/module-kit';
import { SpeechArguments } from './args.js';
import { entitiesOf } from './entities.js';
import { SpeechFold } from './fold.js';
import { filmFacts } from '@adit/testing';

const CONTEXT: FoldContext = {
  sourceIndex: 0,
  facts: { kind: 'audio', container: 'wav', codec: 'pcm', duration: 60, channels: 1, sampleRate: 16_000 },
};

/** Words of 0.4 s, 0.1 s apart; a number is a pause in seconds. */
function said(from: number, ...parts: (string | number)[]): RecognisedWord[] {
  const words: RecognisedWord[] = [];
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

function heard(start: number, end: number, words: RecognisedWord[], percent?: number[]): FoldInput {
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
  // The unit itself is not used here.
  return { unit: {} as FoldInput['unit'], observations: { speech, ...voice } };
}

function folded(
  units: FoldInput[],
  args: object = {},
  dictionaries: LabelDictionaries = NO_DICTIONARIES,
  context: FoldContext = CONTEXT,
): Segment[] {
  const fold = new SpeechFold(SpeechArguments.parse(args), dictionaries);
  let state = fold.start();
  const segments: Segment[] = [];
  for (const unit of units) {
    const before = JSON.stringify(state);
    const step = fold.fold(state, unit, context);
    expect(JSON.stringify(state)).toBe(before);
    segments.push(...step.segments);
    state = JSON.parse(JSON.stringify(step.state)) as typeof state;
  }
  return [...segments, ...fold.close(state, context).segments];
}

/** Two distinct voices that change at these seconds; windows across a change sound like both. */
function voicesChangingAt(changes: readonly number[], until: number): { index: number; voice: string }[] {
  const borders = [0, ...changes, until];
  return Array.from({ length: Math.floor((until - WINDOW_SECONDS) / HOP_SECONDS) + 1 }, (_, index) => {
    const from = index * HOP_SECONDS;
    const voice = new Float32Array(256);
    for (const [i, start] of borders.slice(0, -1).entries()) {
      const share = Math.max(0, Math.min(from + WINDOW_SECONDS, borders[i + 1]!) - Math.max(from, start));
      for (let value = 0; value < 128; value += 1) voice[value + (i % 2) * 128]! += share;
    }
    return { index, voice: encodeDirection(voice) };
  });
}

/** Units of words and voices, cut at these times; words belong to the unit in which they begin. */
function unitsOf(
  words: RecognisedWord[],
  voices: { index: number; voice: string }[],
  cuts: number[],
  end: number,
): FoldInput[] {
  return [...cuts, end].map((to, i) => {
    const from = cuts[i - 1] ?? 0;
    const own = <T>(all: readonly T[], start: (each: T) => number): T[] =>
      all.filter((each) => start(each) >= from && start(each) < to);
    const unit = heard(
      from,
      to,
      own(words, ({ start }) => start),
    );
    unit.observations['voices'] = { windows: own(voices, ({ index }) => index * HOP_SECONDS) };
    return unit;
  });
}

const texts = (segments: Segment[]): unknown[] => segments.map(({ meta }) => meta['text']);

describe('the fold of speech', () => {
  it('joins sentences to paragraphs across the cuts of units, wherever those are', () => {
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

  it('gives each recognised part separately when paragraphs are disabled', () => {
    const [one, two] = [said(0, 'one two'), said(1.5, 'three')];
    expect(texts(folded([heard(0, 1.2, one), heard(1.2, 3, two)], { format_paragraph: false }))).toEqual([
      'one two',
      'three',
    ]);
  });

  describe('with voices', () => {
    const words = said(0.2, 'so she began to speak to all of them', 0.4, 'and he went on from there', 0.3);
    const more = said(18.4, 'until she came back', 6, 'once more');
    const all = [...words, ...more];
    const change = words[9]!.start - 0.2;
    const voices = voicesChangingAt([change, 18.2], 40);
    const whole = folded(unitsOf(all, voices, [], 40));

    it('names the speaker, and ends a paragraph at a change of speakers', () => {
      expect(whole.map(({ meta }) => [meta['speaker'], meta['text']])).toEqual([
        ['Speaker 1', 'so she began to speak to all of them'],
        ['Speaker 2', 'and he went on from there'],
        ['Speaker 1', 'until she came back'],
        ['Speaker 1', 'once more'],
      ]);
    });

    it('gives the same wherever units are cut', () => {
      for (let cut = 0.5; cut < 39; cut += 0.7) {
        const cuts = [cut, cut + 0.3, Math.min(39.5, cut + 9)];
        expect(folded(unitsOf(all, voices, cuts, 40))).toEqual(whole);
      }
    });

    it('names the main speaker of a part when paragraphs are disabled', () => {
      const segments = folded(unitsOf(all, voices, [18], 40), { format_paragraph: false });
      expect(segments.map(({ meta }) => meta['speaker'])).toEqual(['Speaker 1', 'Speaker 1', 'Speaker 1']);
      expect(segments[0]!.meta['text']).toBe([...words].map(({ text }) => text).join(' '));
    });

    it("loses no word to a build without speakers, and continues that build's state", () => {
      const units = unitsOf(all, voices, [8, 16], 40);
      const fold = new SpeechFold(SpeechArguments.parse({}), NO_DICTIONARIES);
      const first = fold.fold(fold.start(), units[0]!, CONTEXT);
      // State fields that the earlier build reads and writes.
      const { open, silentSince, heardTo } = first.state;
      const second = fold.fold({ open, silentSince, heardTo }, units[1]!, CONTEXT);
      expect(second.state).not.toHaveProperty('turns');
      const third = fold.fold(second.state, units[2]!, CONTEXT);
      const segments = [first, second, third, fold.close(third.state, CONTEXT)].flatMap((step) => step.segments);
      expect(texts(segments).join(' ')).toBe(all.map(({ text }) => text).join(' '));
      expect(segments.at(-1)!.meta['speaker']).toBeNull();
    });
  });

  it('drops words where no voice is detected, and reports silence', () => {
    const words = said(0, 'hello', 2.5, 'thanks for watching');
    const percent = [...Array(31).fill(90), ...Array(157).fill(0)] as number[];
    const [speech, silence] = folded([heard(0, 6, words, percent)], { enable_vad: true, detect_silence: true });
    expect(speech!.meta['text']).toBe('hello');
    expect(silence).toMatchObject({ type: 'silence', timeStart: 0.992, timeEnd: 6, meta: { duration: 5.008 } });
    expect(texts(folded([heard(0, 6, words, percent)]))).toEqual(['hello', 'thanks for watching']);
  });

  it('reports one silence across several units', () => {
    const nobody = Array<number>(156).fill(0);
    const units = [heard(0, 5, [], nobody), heard(5, 10, [], nobody)];
    expect(folded(units, { detect_silence: true })).toMatchObject([{ type: 'silence', timeStart: 0, timeEnd: 10 }]);
  });

  it('spells words and pairs of words by dictionaries, with their punctuation', () => {
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

  it('reports entities on request', () => {
    const fold = new SpeechFold(SpeechArguments.parse({ enable_ner: true }), NO_DICTIONARIES, entitiesOf);
    const { state } = fold.fold(fold.start(), heard(0, 10, said(0, 'Ada Lovelace was in London.')), CONTEXT);
    expect(fold.close(state, CONTEXT).segments[0]!.meta['entities']).toEqual([
      { text: 'Ada Lovelace', type: 'person' },
      { text: 'London', type: 'place' },
    ]);
    expect(folded([heard(0, 10, said(0, 'London.'))])[0]!.meta).not.toHaveProperty('entities');
  });

  it("has the frames on display at its start and end, by the film's index where available", () => {
    const units = [heard(0, 12, said(1, 'One two.', 6, 'Three.', 2, 'Four.'))];
    const facts = filmFacts({ totalFrames: 250, duration: 12, variableFrameRate: true });
    const framesIn = (context: FoldContext): (number | null)[][] =>
      folded(units, {}, NO_DICTIONARIES, context).map(({ frameStart, frameEnd }) => [frameStart, frameEnd]);
    expect(framesIn({ sourceIndex: 0, facts })).toEqual([
      [25, 47],
      [200, 210],
      [249, 249],
    ]);
    // A phone's film: 10 frames per second for 5 s, then 30.
    const frameAt = (seconds: number): number => Math.floor(seconds < 5 ? seconds * 10 : 50 + (seconds - 5) * 30);
    expect(framesIn({ sourceIndex: 0, facts, frameAt })).toEqual([
      [10, 19],
      [140, 152],
      [215, 227],
    ]);
  });
});

describe('speech of a live stream', () => {
  const context = { sourceIndex: 0, facts: filmFacts({ live: true, totalFrames: 0, duration: 0 }) };
  const opened = (args: object = {}): SpeechFold => new SpeechFold(SpeechArguments.parse(args), NO_DICTIONARIES);

  it('has an open paragraph under the key of its segment', () => {
    const fold = opened();
    const first = fold.fold(fold.start(), heard(0, 10, said(8, 'we begin')), context);
    const [open, ...more] = fold.open(first.state, context);
    expect(more).toEqual([]);
    expect(open).toMatchObject({ timeStart: 8, frameStart: 200, meta: { text: expect.stringMatching(/we begin/i) } });
    const second = fold.fold(first.state, heard(10, 12.5, said(10, 'and go on')), context);
    expect(fold.open(second.state, context).map(({ key }) => key)).toEqual([open!.key]);
    const { segments } = fold.close(second.state, context);
    expect(segments.map(({ key }) => key)).toEqual([open!.key]);
  });

  it('is final by sentence, with the part that ends it', () => {
    const fold = opened();
    const first = fold.fold(fold.start(), heard(0, 4, said(0, 'It was late. Mr. Miller said')), context);
    expect(texts(first.segments)).toEqual(['It was late.']);
    const second = fold.fold(first.state, heard(4, 6, said(4, 'good night. Nobody')), context);
    expect(texts(second.segments)).toEqual(['Mr. Miller said good night.']);
    expect(second.segments.map(({ key }) => key)).toEqual(fold.open(first.state, context).map(({ key }) => key));
    // Nobody goes on: what has no full stop ends when the pause is known.
    const third = fold.fold(second.state, heard(6, 10, []), context);
    expect(texts(third.segments)).toEqual(['Nobody']);
    expect(fold.open(third.state, context)).toEqual([]);
    expect(fold.close(third.state, context).segments).toEqual([]);
  });

  it('is final in the parts that were recognised, where no sentences are asked for', () => {
    const fold = opened({ format_paragraph: false });
    const { segments } = fold.fold(fold.start(), heard(0, 4, said(0, 'It was late. Nobody')), context);
    expect(texts(segments)).toEqual(['It was late. Nobody']);
  });

  it('has its speakers without waiting for what follows', () => {
    const fold = opened();
    const words = said(0, 'It was late.', 'Nobody came.');
    const [unit] = unitsOf(words, voicesChangingAt([], 4), [], 4);
    const { segments } = fold.fold(fold.start(), unit!, context);
    expect(segments.map(({ meta }) => meta['speaker'])).toEqual(['Speaker 1', 'Speaker 1']);
  });

  it('is that of a film where the source is one', () => {
    const film = { sourceIndex: 0, facts: filmFacts() };
    const units = [heard(0, 4, said(0, 'It was late. Nobody came.'))];
    expect(texts(folded(units, {}, NO_DICTIONARIES, film))).toEqual(['It was late. Nobody came.']);
  });
});
