import type Sharp from 'sharp';

let loading: Promise<typeof Sharp> | undefined;

/** sharp, with libvips, as the first picture needs it: most commands and services load this package and never see one. */
export function sharp(): Promise<typeof Sharp> {
  loading ??= import('sharp').then(({ default: loaded }) => {
    // No picture is asked for twice, so libvips' cache of results only holds memory.
    loaded.cache(false);
    return loaded;
  });
  return loading;
}
