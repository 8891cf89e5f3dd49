import { describe, expect, it } from '@jest/globals';
import { COMMANDS, commandFor, type Mode } from './commands.js';

const pressed = (key: string, held: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {}) => ({
  ...{ key, code: /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : '' },
  ...{ ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held },
});

describe('a key', () => {
  it('plays while reading, and is a letter while writing', () => {
    expect(commandFor(pressed(' '), 'reading', true)).toBe('toggle');
    expect(commandFor(pressed('k'), 'reading', true)).toBe('toggle');
    expect(commandFor(pressed('k'), 'writing', true)).toBeNull();
    expect(commandFor(pressed('Enter'), 'reading', true)).toBe('edit');
    expect(commandFor(pressed('Enter'), 'writing', true)).toBe('split');
  });

  it('is found by its place with Alt, where a Mac writes another letter', () => {
    expect(commandFor({ ...pressed('˚', { altKey: true }), code: 'KeyK' }, 'writing', true)).toBe('toggle');
  });

  it('is the same with Ctrl and Command; with AltGr it is a letter', () => {
    expect(commandFor(pressed('s', { ctrlKey: true }), 'writing', true)).toBe('save');
    expect(commandFor(pressed('s', { metaKey: true }), 'reading', true)).toBe('save');
    expect(commandFor(pressed('Z', { ctrlKey: true, shiftKey: true }), 'reading', true)).toBe('redo');
    expect(commandFor(pressed('s', { ctrlKey: true, altKey: true }), 'writing', true)).toBeNull();
    expect(commandFor(pressed('?', { shiftKey: true }), 'reading', true)).toBe('help');
  });

  it('changes nothing for those who may only read', () => {
    for (const key of ['Enter', 's', 'm', 'F2']) expect(commandFor(pressed(key), 'reading', false)).toBeNull();
    expect(commandFor(pressed('ArrowDown'), 'reading', false)).toBe('next');
  });

  it('means one thing in each mode', () => {
    for (const mode of ['reading', 'writing'] as Mode[]) {
      const keys = Object.values(COMMANDS).flatMap((entry: Partial<Record<Mode, string[]>>) => entry[mode] ?? []);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });
});
