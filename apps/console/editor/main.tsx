import { render } from 'preact';
import { Editor } from './state/editor.js';
import { Player } from './state/player.js';
import { keep, openSession, themeOfAddress } from './state/session.js';
import { TranscriptApi } from './state/transcript-api.js';
import { App } from './views/app.js';

const theme = themeOfAddress();
if (theme !== null) document.documentElement.dataset['theme'] = theme;

const { transcriptId, token, apiKey } = openSession();
const editor = new Editor(new TranscriptApi(transcriptId, token, apiKey));
const root = document.getElementById('editor');
if (root !== null) render(<App editor={editor} player={new Player()} />, root);
void editor.open();
editor.watch();

// An embedding page hands over a new token before the old one expires. CSP restricts which pages may embed.
addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
  if (source !== parent || parent === window) return;
  const given = typeof data === 'object' && data !== null && 'token' in data ? data.token : undefined;
  if (typeof given !== 'string') return;
  keep(transcriptId, given);
  void editor.renew(given);
});
