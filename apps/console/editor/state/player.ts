import { VoiceIndex, type Voice } from '../model/voice.js';
import type { Paragraphs } from '../model/paragraph.js';
import { Observable } from './observable.js';

export const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 2];

/** What plays, and which word is being said. It is observed at every new word, not at every frame. */
export class Player extends Observable {
  time = 0;
  duration = 0;
  playing = false;
  speed = 1;
  /** Whether there is something to play. */
  ready = false;
  /** Why what there is cannot be played. */
  fault: string | null = null;
  voice: Voice | null = null;
  private element: HTMLMediaElement | null = null;
  private index = new VoiceIndex([]);
  private of: Paragraphs = [];
  /** Whether it played when it was taken away, to come again from elsewhere. */
  private goesOn = false;

  /** The element that plays; answers how to let it go. */
  attach(element: HTMLMediaElement): () => void {
    this.element = element;
    const stop = new AbortController();
    const on = (names: string[], act: () => void): void => {
      for (const name of names) element.addEventListener(name, act, { signal: stop.signal });
    };
    on(['play', 'playing', 'pause', 'ended', 'seeked', 'timeupdate', 'durationchange', 'ratechange'], () =>
      this.look(),
    );
    on(['play'], () => this.follow());
    const begin = (): void => {
      Object.assign(this, { ready: true, fault: null });
      element.playbackRate = this.speed;
      if (this.time > 0) element.currentTime = this.time;
      this.look();
      if (this.goesOn) this.toggle();
      this.goesOn = false;
    };
    on(['loadedmetadata'], begin);
    // It may have come before anybody listened.
    if (element.readyState >= HTMLMediaElement.HAVE_METADATA) begin();
    on(['emptied'], () => {
      this.goesOn ||= this.playing;
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

  /** The paragraphs whose words are said. */
  hear(paragraphs: Paragraphs): void {
    if (paragraphs === this.of) return;
    this.of = paragraphs;
    this.index = new VoiceIndex(paragraphs);
    this.find();
  }

  toggle(): void {
    if (this.element === null || !this.ready) return;
    if (this.element.paused) this.element.play().catch(() => this.set({ fault: 'The browser does not let it play.' }));
    else this.element.pause();
  }

  /** Without anything to play the place is marked all the same. */
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

  private look(): void {
    // One that has nothing yet stands at zero: the place is where it was before.
    if (this.element === null || !this.ready) return;
    const { currentTime, duration, paused } = this.element;
    this.time = currentTime;
    this.duration = Number.isFinite(duration) ? duration : 0;
    this.playing = !paused;
    this.find();
    this.changed();
  }

  /** Between the events of the element, which come four times a second: words are shorter. */
  private follow(): void {
    const step = (): void => {
      if (this.element === null || this.element.paused) return;
      this.time = this.element.currentTime;
      this.find();
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  /** Whether another word is being said. */
  private find(): boolean {
    const voice = this.index.at(this.time);
    if (voice?.id === this.voice?.id && voice?.word === this.voice?.word) return false;
    this.voice = voice;
    this.changed();
    return true;
  }
}
