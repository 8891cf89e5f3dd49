import { statfs } from 'node:fs/promises';
import { dataDisk } from './metrics.js';

/** Has the page of metrics tell how large the disk below a folder is, and what of it is free to this process. The last folder counts. */
export function watchDisk(folder: string): void {
  dataDisk(async (disk) => {
    const { bsize, blocks, bavail } = await statfs(folder);
    disk.set({ state: 'size' }, bsize * blocks);
    disk.set({ state: 'free' }, bsize * bavail);
  });
}
