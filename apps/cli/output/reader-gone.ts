/** Ended because nobody reads on (`adit … | head`), as shells have it: 128 and the number of SIGPIPE. */
export const EXIT_READER_GONE = 141;

let gone = false;

/** Tells whether what is said from now on reaches nobody. */
export function isReaderGone(): boolean {
  return gone;
}

/**
 * Ends the process without a word when the reader of its output goes. A command with something to put in order listens to
 * SIGPIPE, which Node itself ignores, and ends in its own way.
 */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      if (gone) return;
      gone = true;
      if (!process.emit('SIGPIPE')) process.exit(EXIT_READER_GONE);
    });
  }
}
