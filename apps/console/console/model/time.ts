/** Text of a duration in whole units: `42 s`, `3 min 5 s`, `2 h 4 min`. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return seconds > 0 && seconds < 9.95 && seconds % 1 !== 0 ? `${seconds.toFixed(1)} s` : `${whole} s`;
  if (whole < 3600) return whole % 60 === 0 ? `${whole / 60} min` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.round(whole / 60);
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** `HH:MM:SS:FF`, or `HH:MM:SS.t` for media without pictures; `fps` is null there. */
export function positionText(seconds: number, fps: number | null): string {
  if (fps === null) {
    const tenths = Math.max(0, Math.floor(seconds * 10 + 1e-6));
    return `${clock(Math.floor(tenths / 10))}.${tenths % 10}`;
  }
  const nominal = Math.max(1, Math.round(fps));
  const frame = frameAt(seconds, fps);
  return `${clock(Math.floor(frame / nominal))}:${two(frame % nominal)}`;
}

/** `HH:MM:SS`. */
export function clock(seconds: number): string {
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60].map(two).join(':');
}

/** The frame that is seen at a time. A time that lies a hair before a frame's start is of that frame: players round. */
export function frameAt(seconds: number, fps: number): number {
  return Math.max(0, Math.floor(seconds * fps + 1e-3));
}

/** A date and time of today without its date. */
export function dateText(time: number, locale: string, now = Date.now()): string {
  const isToday = new Date(time).toDateString() === new Date(now).toDateString();
  const day: Intl.DateTimeFormatOptions = isToday ? {} : { day: 'numeric', month: 'short', year: 'numeric' };
  return new Intl.DateTimeFormat(locale, { ...day, hour: '2-digit', minute: '2-digit' }).format(time);
}
