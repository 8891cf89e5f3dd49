import { statfs } from 'node:fs/promises';
import { gauge } from './metrics.js';

/** Has the page of metrics tell how large the disk below a folder is, and what of it is free to this process. The last folder counts. */
export function watchDisk(folder: string): void {
  gauge(
    'adit_data_disk_bytes',
    'The disk that ADIT_DATA_DIR lies on: its size, and what of it this process may still write',
    ['state'],
    async (disk) => {
      const { bsize, blocks, bavail } = await statfs(folder);
      disk.set({ state: 'size' }, bsize * blocks);
      disk.set({ state: 'free' }, bsize * bavail);
    },
  );
}
