import { describe, expect, it } from '@jest/globals';
import { moduleSetting, settingsOf, type ModuleSetting } from './module-settings.js';

const settings = (...texts: string[]): ModuleSetting[] =>
  texts.reduce<ModuleSetting[]>((before, text) => moduleSetting(text, before), []);

describe('the arguments of modules on the command line', () => {
  it.each([
    ['mode=performance', 'performance'],
    ['mode="performance"', 'performance'],
    ['dump_srt=true', true],
    ['vad_threshold=0.4', 0.4],
    ['dictionaries=["names","places"]', ['names', 'places']],
    ['keyword=a=b, c', 'a=b, c'],
    ['keyword=', ''],
    ['vad_threshold=1e999', '1e999'],
    ['keyword=two\nlines', 'two\nlines'],
  ])('the text %j is the value %j', (text, value) => {
    const [argument] = text.split('=', 1);
    expect(settings(text)).toEqual([{ module: null, argument, value }]);
    expect(settings(`speech_recognition.${text}`)).toEqual([{ module: 'speech_recognition', argument, value }]);
  });

  it.each(['mode', '=quality', 'speech_recognition.=x', 'speech recognition.mode=x', '.mode=x', 'a.b.c=d'])(
    'refuses %j and says how it is written',
    (text) => expect(() => settings(text)).toThrow(/module\.argument=value/),
  );

  it('arguments belong to the module that they name, or to the only one, and the last one counts', () => {
    const asked = ['face_recognition', 'speech_recognition'];
    const set = settings('speech_recognition.mode=quality', 'face_recognition.max_distance=0.8');
    expect(settingsOf(asked, [...set, ...settings('speech_recognition.mode=performance')])).toEqual({
      face_recognition: { max_distance: 0.8 },
      speech_recognition: { mode: 'performance' },
    });
    expect(settingsOf(['speech_recognition'], settings('dump_srt=true'))).toEqual({
      speech_recognition: { dump_srt: true },
    });
  });

  it('arguments are refused when it is not clear whose they are, or when no such module is requested', () => {
    expect(() => settingsOf(['face_recognition', 'speech_recognition'], settings('mode=quality'))).toThrow(
      'say whose argument mode is: face_recognition.mode or speech_recognition.mode.',
    );
    expect(() => settingsOf(['face_recognition'], settings('speech_recognition.mode=quality'))).toThrow(
      /not asked: face_recognition\. Name it in --modules/,
    );
  });
});
