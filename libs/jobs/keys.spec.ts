import type { Extent } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import * as keys from './keys.js';

const [job, workspace, media] = ['5d1c', '77aa', 'f'.repeat(64)];
const film = (first: boolean): Extent => ({
  kind: 'video',
  interval: { ...(first && { first }), frameStart: 250, frameEnd: 500, ptsStart: 0, ptsEnd: 1, seekPts: 0 },
});
const folderOf = (extent: Extent, generation: string | null) =>
  keys.observationPrefix({ id: job, workspaceId: workspace }, { mediaDigest: media, ...extent }, 'a1', generation);

describe('keys in the object store', () => {
  it('of a job lie in its folder, its packs in a folder of their own', () => {
    expect(keys.jobPrefix(job)).toBe('jobs/5d1c/');
    expect(keys.packsPrefix(job)).toBe('jobs/5d1c/packs/');
    expect(keys.chunkPacksPrefix(job, 'c')).toBe('jobs/5d1c/packs/c/');
    expect(keys.packKey(job, 'c', 3, 's')).toBe('jobs/5d1c/packs/c/3/s');
    expect(keys.pictureKey(job, 'p.jpg')).toBe('jobs/5d1c/pictures/p.jpg');
    expect(keys.artifactKey(job, 'x')).toBe('jobs/5d1c/artifacts/x');
  });

  it('of media lie in the folder of their workspace', () => {
    expect(keys.mediaPrefix(workspace, media, 'g')).toBe(`media/77aa/${media}/g/`);
    expect(keys.frameIndexKey(workspace, media, 'g')).toBe(`media/77aa/${media}/g/frame-index`);
  });

  it('name the analysed part of the media', () => {
    expect(keys.extentName({ kind: 'image' })).toBe('image');
    expect(keys.extentName({ kind: 'image', page: 0 })).toBe('page-0');
    expect([keys.extentName(film(true)), keys.extentName(film(false))]).toEqual(['from-250-500', '250-500']);
    expect(keys.extentName({ kind: 'audio', interval: { startMs: 10, endMs: 20 } })).toBe('audio-10-20');
  });

  it('of observations are new for each analysis, with the media or with the job', () => {
    const [one, other] = [folderOf({ kind: 'image' }, 'g'), folderOf({ kind: 'image' }, 'g')];
    expect(one.split('/').slice(0, 6).join('/')).toBe(`media/77aa/${media}/g/image/a1`);
    expect(one).not.toBe(other);
    expect(folderOf({ kind: 'image', page: 2 }, null)).toMatch(
      new RegExp(`^jobs/5d1c/media/${media}/page-2/a1/[^/]+/$`),
    );
  });

  it('of observations tell whether they are removed with the folder of their media', () => {
    expect(keys.isInMediaFolder(`${folderOf({ kind: 'image' }, 'g')}observations`)).toBe(true);
    expect(keys.isInMediaFolder(`${folderOf({ kind: 'image' }, null)}observations`)).toBe(false);
    expect(keys.isInMediaFolder(`media/77aa/${media}/image/a1/observations`)).toBe(false);
  });
});
