/** A terminal's Ctrl-C can arrive twice: from the terminal itself and passed on by the script that started us. */
const ECHO_MS = 500;

interface Interrupt {
  /** Aborts at the first Ctrl-C or SIGTERM, or when nobody reads the output any more. */
  signal: AbortSignal;
  release(): void;
}

/** The first Ctrl-C asks for an orderly end, a second one ends at once. */
export function untilInterrupted(): Interrupt {
  const controller = new AbortController();
  let first = 0;
  const onSignal = (): void => {
    if (!controller.signal.aborted) {
      first = Date.now();
      process.stderr.write(process.stdin.isTTY ? '\nStopping … (once more to quit at once)\n' : 'Stopping …\n');
      controller.abort();
    } else if (Date.now() - first > ECHO_MS) {
      process.exit(130);
    }
  };
  const unread = (): void => controller.abort();
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGPIPE', unread);
  return {
    signal: controller.signal,
    release: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('SIGPIPE', unread),
  };
}
