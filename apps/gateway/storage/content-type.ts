import { extname } from 'node:path';

const OF_EXTENSION: Record<string, string> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.mp4': 'video/mp4',
  '.mpg': 'video/mpeg',
  '.mpeg': 'video/mpeg',
  '.ts': 'video/mp2t',
  '.mxf': 'application/mxf',
  '.mov': 'video/quicktime',
  '.wav': 'audio/wav',
  '.mp3': 'audio/mpeg',
  '.m4a': 'audio/mp4',
  '.flac': 'audio/flac',
  '.ogg': 'audio/ogg',
  '.pdf': 'application/pdf',
};
const UNKNOWN = 'application/octet-stream';

/** What the client says a file is, or else its name; a claim for display only, as mining looks at the content. */
export function contentTypeOf(claimed: string | undefined, name: string): string {
  const type = claimed?.toLowerCase() ?? UNKNOWN;
  const said = /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}$/.test(type) && type !== UNKNOWN;
  return said ? type : (OF_EXTENSION[extname(name).toLowerCase()] ?? UNKNOWN);
}

/** Whether a browser may show it in place; everything else could be a page with scripts. */
export function isShowable(contentType: string | null): boolean {
  return /^(image\/(jpeg|png)|video\/|audio\/)/.test(contentType ?? '');
}
