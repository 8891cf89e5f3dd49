import type Sharp from 'sharp';

let loading: Promise<typeof Sharp> | undefined;

/** Loads sharp, with libvips, at the first picture: most commands and services load this package and decode none. */
export function sharp(): Promise<typeof Sharp> {
  loading ??= import('sharp').then(({ default: loaded }) => {
    // Pictures are never decoded twice, so libvips' result cache would only hold memory.
    loaded.cache(false);
    return loaded;
  });
  return loading;
}
