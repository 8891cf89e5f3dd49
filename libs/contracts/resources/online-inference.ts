import { z } from 'zod';

/** Limits of a picture in online inference. A job allows more. */
export const ONLINE_INFERENCE_LIMITS = {
  /** From the request to its answer. */
  seconds: 15,
  /** Maximum size of the file. */
  bytes: 32 * 1024 ** 2,
  /** Maximum size of the picture: twice that of a camera in common use. */
  pixels: 50_000_000,
} as const;

/** Address of a picture in online inference. */
export const PictureAddress = z
  .string()
  .min(1)
  .max(4096)
  .describe('Address of a picture: an uploaded file (storage://…), or an address on the web (https://…)');
