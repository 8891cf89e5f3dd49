/** Work that failed. */
export const EXIT_FAILED = 1;
/** Wrong use of the command line. */
export const EXIT_USAGE = 2;
/** Ended by Ctrl-C, as shells have it: 128 and the signal's number. */
export const EXIT_INTERRUPTED = 130;
