import { VoiceIndex, type Voice } from '../model/voice.js';
import type { Paragraphs } from '../model/paragraph.js';
import { Observable } from '../../shared/observable.js';

export const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 2];

/** The recording being played, and the word being spoken. Observers are notified at every new word, not at every frame. */
export class Player extends Observable {
  time = 0;
  duration = 0;
  playing = false;
  speed = 1;
  /** True when there is something to play. */
  ready = false;
  /** Reason why the recording cannot be played. */
  fault: string | null = null;
  voice: Voice | null = null;
  private element: HTMLMediaElement | null = null;
  private index = new VoiceIndex([]);
  private paragraphs: Paragraphs = [];
  /** True when it was playing as its source went away: the next source goes on playing. */
  private resumes = false;

  /** Plays through the element; answers a function that detaches it. */
  attach(element: HTMLMediaElement): () => void {
    this.element = element;
    const stop = new AbortController();
    const on = (names: string[], act: () => void): void => {
      for (const name of names) element.addEventListener(name, act, { signal: stop.signal });
    };
    on(['play', 'playing', 'pause', 'ended', 'seeked', 'timeupdate', 'durationchange', 'ratechange'], () =>
      this.readElement(),
    );
    on(['play'], () => this.follow());
    const begin = (): void => {
      Object.assign(this, { ready: true, fault: null });
      element.playbackRate = this.speed;
      if (this.time > 0) element.currentTime = this.time;
      this.readElement();
      if (this.resumes) this.toggle();
      this.resumes = false;
    };
    on(['loadedmetadata'], begin);
    // The metadata may have loaded before the listeners were added.
    if (element.readyState >= HTMLMediaElement.HAVE_METADATA) begin();
    on(['emptied'], () => {
      this.resumes ||= this.playing;
      this.set({ ready: false, playing: false, duration: 0 });
    });
    on(['error'], () => {
      if (element.getAttribute('src') === null) return;
      this.set({ ready: false, fault: 'This browser cannot play the recording.' });
    });
    return () => {
      stop.abort();
      this.element = null;
    };
  }

  /** Sets the paragraphs in which the spoken word is found. */
  setParagraphs(paragraphs: Paragraphs): void {
    if (paragraphs === this.paragraphs) return;
    this.paragraphs = paragraphs;
    this.index = new VoiceIndex(paragraphs);
    this.find();
  }

  toggle(): void {
    if (this.element === null || !this.ready) return;
    if (this.element.paused) this.element.play().catch(() => this.set({ fault: 'The browser does not let it play.' }));
    else this.element.pause();
  }

  /** Moves the position, also when there is nothing to play. */
  seek(seconds: number): void {
    const end = this.duration > 0 ? this.duration : Infinity;
    this.time = Math.min(Math.max(0, seconds), end);
    if (this.element !== null && this.ready) this.element.currentTime = this.time;
    if (!this.find()) this.changed();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    if (this.element !== null) this.element.playbackRate = speed;
    this.changed();
  }

  private set(state: Partial<Pick<Player, 'ready' | 'playing' | 'duration' | 'fault'>>): void {
    Object.assign(this, state);
    this.changed();
  }

  private readElement(): void {
    // An element without a source stands at zero: the position stays where it was.
    if (this.element === null || !this.ready) return;
    const { currentTime, duration, paused } = this.element;
    this.time = currentTime;
    this.duration = Number.isFinite(duration) ? duration : 0;
    this.playing = !paused;
    this.find();
    this.changed();
  }

  /** Follows the position at every frame: the element reports it four times a second, and words are shorter. */
  private follow(): void {
    const step = (): void => {
      if (this.element === null || this.element.paused) return;
      this.time = this.element.currentTime;
      this.find();
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  /** Finds the spoken word; true when it is another one. */
  private find(): boolean {
    const voice = this.index.at(this.time);
    if (voice?.id === this.voice?.id && voice?.word === this.voice?.word) return false;
    this.voice = voice;
    this.changed();
    return true;
  }
}
