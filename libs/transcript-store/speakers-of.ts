/** A paragraph that is spoken. */
export interface Spoken {
  timeStart: number;
  timeEnd: number;
  speaker: string | null;
}

/** Who speaks what was translated; asked in order of time. */
export class SpeakersOf {
  private readonly spoken: readonly Spoken[];
  /** All before it have ended before what was asked last began. */
  private first = 0;

  constructor(spoken: readonly Spoken[]) {
    this.spoken = [...spoken].sort((a, b) => a.timeStart - b.timeStart);
  }

  /** The speaker of the paragraph that lasts longest within a time; null when there is none, or nobody is known to speak it. */
  during(timeStart: number, timeEnd: number): string | null {
    while ((this.spoken[this.first]?.timeEnd ?? Infinity) <= timeStart) this.first += 1;
    let longest = 0;
    let speaker: string | null = null;
    for (let at = this.first; at < this.spoken.length; at += 1) {
      const one = this.spoken[at];
      if (one === undefined || one.timeStart >= timeEnd) break;
      const lasts = Math.min(one.timeEnd, timeEnd) - Math.max(one.timeStart, timeStart);
      if (lasts > longest) [longest, speaker] = [lasts, one.speaker];
    }
    return speaker;
  }
}
