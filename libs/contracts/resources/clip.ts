/** Seconds of a clip with its handles: packets are copied quickly, encoding takes about as long as the clip lasts. */
export const MAX_CLIP_SECONDS = { copied: 3600, exact: 600 } as const;

/** Seconds more at either end. */
export const MAX_CLIP_HANDLES = 60;

/** Seconds by which handles differ. */
export const CLIP_HANDLE_STEP = 0.5;
