import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** As Windows numbers them, which is what browsers go by. */
const KEY_CODES: Record<string, number> = {
  Backspace: 8,
  Tab: 9,
  Enter: 13,
  Escape: 27,
  End: 35,
  Home: 36,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
};
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The Chromium of this machine; null when there is none (Debian: apt-get install chromium). */
export function chromium(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  for (const program of PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name)))) {
    try {
      accessSync(program, constants.X_OK);
      return program;
    } catch {
      // The next one.
    }
  }
  return null;
}

interface Message {
  id?: number;
  method?: string;
  result?: Record<string, unknown>;
  error?: { message: string };
}

/** One page of a Chromium without a window, driven over a pipe by the DevTools protocol. */
export class BrowserPage {
  private next = 1;
  private session: string | undefined;
  private readonly waiting = new Map<number, (message: Message) => void>();

  private constructor(
    private readonly process: ChildProcess,
    private readonly profile: string,
  ) {
    let text = '';
    (process.stdio[4] as Readable).setEncoding('utf8').on('data', (chunk: string) => {
      const messages = `${text}${chunk}`.split('\0');
      text = messages.pop() ?? '';
      for (const message of messages.map((one) => JSON.parse(one) as Message)) {
        if (message.id !== undefined) this.waiting.get(message.id)?.(message);
        // Whether a page is really to be left: yes.
        if (message.method === 'Page.javascriptDialogOpening') {
          void this.send('Page.handleJavaScriptDialog', { accept: true }).catch(() => undefined);
        }
      }
    });
  }

  /** `dark` and `language` are what the person would have set in the system; sizes are in CSS pixels. */
  static async open(
    program: string,
    url: string,
    { dark = false, width = 1280, height = 900, language = 'en' } = {},
  ): Promise<BrowserPage> {
    const profile = mkdtempSync(join(tmpdir(), 'adit-browser-'));
    const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
    const process = spawn(
      program,
      [...flags, '--remote-debugging-pipe', `--user-data-dir=${profile}`, `--accept-lang=${language}`, 'about:blank'],
      {
        stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      },
    );
    const page = new BrowserPage(process, profile);
    const { targetId } = await page.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await page.send('Target.attachToTarget', { targetId, flatten: true });
    page.session = sessionId as string;
    await page.send('Page.enable');
    const features = [
      { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ];
    await page.send('Emulation.setEmulatedMedia', { features });
    const size = { width, height, deviceScaleFactor: 1, mobile: false };
    await page.send('Emulation.setDeviceMetricsOverride', size);
    await page.send('Page.navigate', { url });
    await page.until("document.readyState === 'complete' && location.href !== 'about:blank'");
    return page;
  }

  /** The value of an expression in the page, awaited when it is a promise. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(`In the page: ${JSON.stringify(exceptionDetails)}`);
    return (result as { value: T }).value;
  }

  /** Returns when an expression holds in the page. Throws when it does not within `limitMs`. */
  async until(expression: string, limitMs = 60_000): Promise<void> {
    const end = performance.now() + limitMs;
    while (!(await this.evaluate<boolean>(expression).catch(() => false))) {
      if (performance.now() > end) throw new Error(`In the page, for ${limitMs / 1000} s: not ${expression}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Loads the page anew and waits until the old document is gone, so that nothing after it is read from there. */
  async reload(): Promise<void> {
    await this.evaluate('void (window.leaving = true), location.reload()');
    await this.until("window.leaving === undefined && document.readyState === 'complete'");
  }

  /** Clicks the `index`-th element of a selector, from the end when below 0, as soon as it is there. */
  async click(selector: string, index = 0): Promise<void> {
    await this.until(
      `(([...all]) => { all.at(${index}).click(); return true; })(document.querySelectorAll(${JSON.stringify(selector)}))`,
    );
  }

  /** Presses a key as a person does; letters and signs write themselves. */
  async press(key: string, { ctrl = false, alt = false, shift = false } = {}): Promise<void> {
    const text = key === 'Enter' ? '\r' : key.length === 1 && !ctrl && !alt ? key : undefined;
    const what = {
      key,
      code: /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : key === ' ' ? 'Space' : key,
      windowsVirtualKeyCode: KEY_CODES[key] ?? key.toUpperCase().charCodeAt(0),
      modifiers: (alt ? 1 : 0) + (ctrl ? 2 : 0) + (shift ? 8 : 0),
    };
    const down = text === undefined ? { type: 'rawKeyDown', ...what } : { type: 'keyDown', text, ...what };
    await this.send('Input.dispatchKeyEvent', down);
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...what });
  }

  /** Writes a text where the caret is. */
  async write(text: string): Promise<void> {
    await this.send('Input.insertText', { text });
  }

  /** Chooses files, or folders, in a file input as its dialog would. */
  async choose(selector: string, ...paths: string[]): Promise<void> {
    await this.until(`document.querySelector(${JSON.stringify(selector)}) !== null`);
    const expression = `document.querySelector(${JSON.stringify(selector)})`;
    const { result } = await this.send('Runtime.evaluate', { expression });
    const objectId: unknown = Reflect.get(Object(result), 'objectId');
    await this.send('DOM.setFileInputFiles', { files: paths, objectId });
  }

  /** Drops files and folders of this machine on the middle of an element. */
  async drop(selector: string, ...paths: string[]): Promise<void> {
    const { x, y } = await this.evaluate<{ x: number; y: number }>(
      `(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`,
    );
    const data = { items: [], files: paths, dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'])
      await this.send('Input.dispatchDragEvent', { type, x, y, data });
  }

  /** Bytes a second that the page may send; null: as many as it can. */
  async limitUpload(bytesPerSecond: number | null): Promise<void> {
    await this.send('Network.enable');
    const speed = { latency: 0, downloadThroughput: -1, uploadThroughput: bytesPerSecond ?? -1 };
    await this.send('Network.emulateNetworkConditions', { offline: false, ...speed });
  }

  /** What the window shows now, as a PNG. */
  async screenshot(): Promise<Buffer> {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(String(data), 'base64');
  }

  async close(): Promise<void> {
    const gone = new Promise((resolve) => this.process.once('exit', resolve));
    if (this.process.exitCode === null && this.process.signalCode === null) {
      this.process.kill('SIGKILL');
      await gone;
    }
    await rm(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }

  private send(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, ({ result = {}, error }) => {
        this.waiting.delete(id);
        if (error === undefined) resolve(result);
        else reject(new Error(`${method}: ${error.message}`));
      });
      const message = { id, method, params, ...(this.session === undefined ? {} : { sessionId: this.session }) };
      (this.process.stdio[3] as Writable).write(`${JSON.stringify(message)}\0`);
    });
  }
}
