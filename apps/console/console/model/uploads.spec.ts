import { describe, expect, it } from '@jest/globals';
import { isSame, shownUploads, uploadSums, type UploadItem, type UploadState } from './uploads.js';

const item = (name: string, state: UploadState, sent = 0): UploadItem => ({
  ...{ folder: '/', name, size: 100, modified: 1, state, sent, storageId: null, error: null },
});

describe('uploads', () => {
  it('a file is the same by its place, size and time', () => {
    const one = item('a', 'kept');
    expect(isSame(one, item('a', 'waiting'))).toBe(true);
    for (const other of [{ folder: '/b' }, { name: 'b' }, { size: 1 }, { modified: 2 }]) {
      expect(isSame(one, { ...one, ...other })).toBe(false);
    }
  });

  it('those that move or need somebody are shown first', () => {
    const items = [
      item('d', 'done'),
      item('w', 'waiting'),
      item('f', 'failed'),
      item('s', 'sending'),
      item('e', 'done'),
    ];
    const { shown, more } = shownUploads(items, 4);
    expect([shown.map(({ name }) => name).join(''), more]).toEqual(['sfwd', 1]);
  });

  it('sums count what was there already as sent', () => {
    const items = [item('a', 'there'), item('b', 'done', 100), item('c', 'paused', 40)];
    expect(uploadSums(items)).toEqual({ over: 2, bytes: 300, sent: 240, moves: false });
    expect(uploadSums([...items, item('d', 'waiting')]).moves).toBe(true);
  });
});
