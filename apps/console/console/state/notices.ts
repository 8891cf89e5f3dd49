import { Observable } from '../../shared/observable.js';

const SHOWN_MS = 8_000;
/** With something to decide. */
const DECIDED_MS = 20_000;

interface Action {
  label: string;
  act: () => void;
}

/** What was done, or did not work, said once. */
export class Notices extends Observable {
  text: string | null = null;
  isBad = false;
  /** What can be done about it, such as to undo it. */
  action: Action | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  say(text: string, { isBad = false, action = null }: { isBad?: boolean; action?: Action | null } = {}): void {
    clearTimeout(this.timer);
    Object.assign(this, { text, isBad, action });
    this.timer = setTimeout(() => this.clear(), action === null ? SHOWN_MS : DECIDED_MS);
    this.changed();
  }

  clear(): void {
    clearTimeout(this.timer);
    Object.assign(this, { text: null, action: null });
    this.changed();
  }
}
