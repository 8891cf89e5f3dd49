// Seconds as people read them. Timecodes follow SMPTE: frames counted at the nominal rate, two (or four) numbers of
// every minute but each tenth dropped at 29.97 and 59.94.

const pad = (value) => String(value).padStart(2, '0');

/** Frames counted since midnight to `HH:MM:SS:FF`; with `drop` to `HH:MM:SS;FF`. */
export function framesToTimecode(frames, nominal, drop) {
  let count = frames;
  if (drop) {
    const dropped = nominal / 15;
    const perMinute = nominal * 60 - dropped;
    const perTen = nominal * 600 - 9 * dropped;
    const tens = Math.floor(count / perTen);
    const rest = count % perTen;
    count +=
      tens * 9 * dropped + (rest < nominal * 60 ? 0 : dropped * (Math.floor((rest - nominal * 60) / perMinute) + 1));
  }
  const seconds = Math.floor(count / nominal);
  const clock = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60].map(pad).join(':');
  return `${clock}${drop ? ';' : ':'}${pad(count % nominal)}`;
}

/** The other way round: `HH:MM:SS:FF` to a count of frames. */
export function timecodeToFrames(timecode, nominal) {
  const [hours, minutes, seconds, frames] = timecode.split(/[:;]/).map(Number);
  const whole = hours * 3600 + minutes * 60 + seconds;
  if (!timecode.includes(';')) return whole * nominal + frames;
  const total = hours * 60 + minutes;
  return whole * nominal + frames - (nominal / 15) * (total - Math.floor(total / 10));
}

/** Timecode of `time` seconds into a source. */
export function timecodeAt(time, source) {
  const fps = source.timecodeRate || source.fps || 25;
  const nominal = Math.round(fps);
  const start = source.startTimecode;
  const drop = start ? start.includes(';') : Math.abs(fps - (nominal * 1000) / 1001) < 0.001 && nominal % 30 === 0;
  return framesToTimecode((start ? timecodeToFrames(start, nominal) : 0) + Math.round(time * fps), nominal, drop);
}

const STEPS = [0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];

/** Seconds between ticks so that they stand at least `room` pixels apart. */
export function tickStep(pixelsPerSecond, room) {
  return STEPS.find((step) => step * pixelsPerSecond >= room) ?? 14_400;
}

/** Text on how long something was shown; a single sample has no known length. */
export function shownFor(seconds, sightings) {
  if (seconds > 0) return duration(seconds);
  return sightings === 1 ? '1 picture' : `${sightings} pictures`;
}

export function duration(seconds) {
  if (seconds < 60) return `${Number(seconds.toFixed(1))} s`;
  const whole = Math.round(seconds);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`;
}

/** Minutes and seconds since the beginning, as beside lines of text. */
export function clockTime(time) {
  const whole = Math.floor(time);
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds)}` : `${minutes}:${pad(seconds)}`;
}
