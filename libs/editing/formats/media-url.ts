import { pathToFileURL } from 'node:url';

/** Returns a source's address: a path of this machine becomes `file://`, anything else stays. */
export function urlOf(location: string): string {
  return location.startsWith('/') ? pathToFileURL(location).href : location;
}
