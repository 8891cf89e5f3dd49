import { z } from 'zod';

/** Frames a second that timecode of editing programs counts, as these write them. */
export const TIMECODE_RATES: readonly number[] = [23.976, 24, 25, 29.97, 30, 47.952, 48, 50, 59.94, 60];

const MAX_REEL = 64;
const MAX_MASTER = 2048;
/** A basic or extended UMID (SMPTE ST 330): 32 or 64 bytes in hexadecimal. */
const UMID = /^(?:0x)?(?:[0-9a-f]{64}|[0-9a-f]{128})$/i;
const ADDRESS = /^[a-z][a-z0-9+.-]*:[^\s\p{Cc}]+$/iu;

/** What was found in a job's source conforms to: the master that the source is a proxy of. */
export const Conform = z
  .object({
    start_timecode: z
      .string()
      .regex(/^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d[:;][0-5]\d$/, 'write HH:MM:SS:FF, or HH:MM:SS;FF in drop-frame')
      .describe(
        'Timecode of the master at the first frame of the source, `HH:MM:SS:FF` or `HH:MM:SS;FF` in drop-frame: exports for editing count from it; left out: the timecode of the file',
      ),
    timecode_rate: z
      .number()
      .refine((rate) => TIMECODE_RATES.includes(rate), `give one of ${TIMECODE_RATES.join(', ')}`)
      .describe(
        `Frames a second that \`start_timecode\` counts: ${TIMECODE_RATES.join(', ')}; left out: the frame rate of the source`,
      ),
    reel: z
      .string()
      .max(MAX_REEL)
      // Also asked of what is too long, so it has to be linear: no character fits in two of its places.
      .regex(/^ *[\x21-\x7e][\x20-\x7e]*$/, 'write letters, digits and signs of ASCII')
      .describe(`Reel or tape name of the master, at most ${MAX_REEL} characters; left out: made of the file's name`),
    master: z
      .string()
      .max(MAX_MASTER)
      .refine((master) => ADDRESS.test(master) || UMID.test(master), 'give a URI or a UMID')
      .describe('Address of the master, as a URI or a UMID, which exports for editing name instead of the source'),
  })
  .partial();
export type Conform = z.infer<typeof Conform>;

/** Returns what a job's source conforms to; null when nothing was posted. */
export function conformOf({ start_timecode, timecode_rate, reel, master }: Conform): Conform | null {
  const given = {
    ...(start_timecode !== undefined && { start_timecode }),
    ...(timecode_rate !== undefined && { timecode_rate }),
    ...(reel !== undefined && { reel }),
    ...(master !== undefined && { master }),
  };
  return Object.keys(given).length === 0 ? null : given;
}

/** Returns the address of a master: a UMID becomes a URN, anything else stays. */
export function masterAddress(master: string): string {
  return UMID.test(master) ? `urn:smpte:umid:${master.replace(/^0x/i, '').match(/.{8}/g)?.join('.') ?? ''}` : master;
}
