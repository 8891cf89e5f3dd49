// The time of one film or recording, which its player, its timeline and its text share. It also runs without any media: a
// click jumps then, and everything but the picture follows.

/** Clock of a film: the current position, in seconds. */
export function makeClock() {
  const listeners = [];
  const players = [];
  let time = 0;
  const tell = (next, playing = false) => {
    time = next;
    for (const listener of listeners) listener(time, playing);
  };
  return {
    time: () => time,
    /** `listener(time, playing)` hears of every time that is shown. */
    listen: (listener) => listeners.push(listener),
    /** `seek(time)` is asked to show a time. */
    drive: (seek) => players.push(seek),
    /** Sets the position that a player shows. */
    tell,
    /** Somebody wants to be at a time. */
    jump(next) {
      for (const seek of players) seek(next);
      tell(next);
    },
  };
}
