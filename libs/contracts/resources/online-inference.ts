import { z } from 'zod';

/** What one picture that is answered at once may take: a job takes more. */
export const ONLINE_INFERENCE_LIMITS = {
  /** From the request to its answer. */
  seconds: 15,
  /** Of the file. */
  bytes: 32 * 1024 ** 2,
  /** Of the picture: twice those of a camera in common use. */
  pixels: 50_000_000,
} as const;

/** Of a picture that is answered at once. */
export const PictureAddress = z
  .string()
  .min(1)
  .max(4096)
  .describe('Of a picture: an uploaded file (storage://…), or an address on the web (https://…)');
