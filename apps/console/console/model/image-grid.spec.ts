import { describe, expect, it } from '@jest/globals';
import { chosen, columnsIn, GAP, TILE, tileAfter } from './image-grid.js';

describe('a grid of images', () => {
  it('has as many beside each other as fit, and one at least', () => {
    expect([0, TILE, 2 * TILE + GAP - 1, 2 * TILE + GAP].map(columnsIn)).toEqual([1, 1, 1, 2]);
  });

  it.each([
    ['ArrowRight', 3, 4],
    ['ArrowLeft', 0, 0],
    ['ArrowDown', 3, 8],
    ['ArrowDown', 20, 22],
    ['ArrowUp', 3, 3],
    ['ArrowUp', 8, 3],
    ['PageDown', 3, 13],
    ['PageUp', 3, 0],
    ['Home', 9, 0],
    ['End', 9, 22],
  ])('%s leads from %i to %i of 23 in rows of 5', (key, at, to) => {
    expect(tileAfter(key, { at, columns: 5, count: 23, rows: 2 })).toBe(to);
  });

  it('other keys lead nowhere, and nothing leads anywhere where there is nothing', () => {
    expect(tileAfter('x', { at: 0, columns: 5, count: 23, rows: 2 })).toBeNull();
    expect(tileAfter('End', { at: 0, columns: 5, count: 0, rows: 2 })).toBeNull();
  });

  it('one that is chosen is added or taken out; a stretch is added', () => {
    const ids = ['a', 'b', 'c', 'd'];
    const one = chosen(new Set(), ids, { at: 1, from: null });
    expect([...one]).toEqual(['b']);
    expect([...chosen(one, ids, { at: 1, from: null })]).toEqual([]);
    expect([...chosen(one, ids, { at: 3, from: 1 })]).toEqual(['b', 'c', 'd']);
    expect([...chosen(one, ids, { at: 0, from: 2 })].sort()).toEqual(['a', 'b', 'c']);
    expect([...chosen(one, ids, { at: 9, from: null })]).toEqual(['b']);
  });
});
