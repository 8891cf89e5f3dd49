import { describe, expect, it } from '@jest/globals';
import { baseName, foldersTo, isJunk, placeIn, storageAddress } from './folders.js';

describe('folders', () => {
  it('what is dropped keeps its own folders', () => {
    expect(placeIn('/', 'a.mp4')).toEqual({ folder: '/', name: 'a.mp4' });
    expect(placeIn('/news', 'day 1/raw/a.mp4')).toEqual({ folder: '/news/day 1/raw', name: 'a.mp4' });
    expect(placeIn('/', '/day 1/a.mp4')).toEqual({ folder: '/day 1', name: 'a.mp4' });
  });

  it('the way to a folder', () => {
    expect(foldersTo('/')).toEqual([]);
    expect(foldersTo('/a/b c')).toEqual(['/a', '/a/b c']);
    expect([baseName('/a/b c'), baseName('d.mp4')]).toEqual(['b c', 'd.mp4']);
    expect([storageAddress('/'), storageAddress('/a/b&c')]).toEqual(['#/storage', '#/storage?folder=%2Fa%2Fb%26c']);
  });

  it('files of the system are not sent', () => {
    expect(['.DS_Store', '._film.mov', 'film.mov', '.hidden'].map(isJunk)).toEqual([true, true, false, false]);
  });
});
