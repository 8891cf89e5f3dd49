import { useState } from 'preact/hooks';
import type { Editor } from '../state/editor.js';
import { keep } from '../state/session.js';

/** Messages of the page: loading, failures, results of saving, and versions of others. */
export function Messages({ editor }: { editor: Editor }) {
  const { opening, notice, newer, signedOut } = editor;
  if (opening.state === 'opening') {
    return (
      <main class="alone" aria-busy="true">
        <p role="status">Opening the transcript…</p>
      </main>
    );
  }
  if (opening.state === 'failed') {
    return (
      <main class="alone">
        <h1>The transcript cannot be opened</h1>
        <p role="alert">{opening.why}</p>
        {opening.renew && <Renewal editor={editor} />}
        <button type="button" class="button" onClick={() => void editor.open()}>
          Try again
        </button>
      </main>
    );
  }
  return (
    <div class="messages">
      <p role="status" class={notice === null ? 'none' : `notice ${notice.kind}`}>
        {notice?.text}
        {notice !== null && (
          <button type="button" class="plain" aria-label="Close the message" onClick={() => editor.say(null)}>
            ×
          </button>
        )}
      </p>
      {newer !== null && (
        <p class="notice info">
          Somebody else has saved version {newer}.
          <button type="button" class="button" disabled={editor.saving} onClick={() => void editor.takeNewer()}>
            Take it in
          </button>
        </p>
      )}
      {signedOut && <Renewal editor={editor} />}
    </div>
  );
}

/** Asks for a new link when the token has expired; unsaved edits stay. */
function Renewal({ editor }: { editor: Editor }) {
  const [link, setLink] = useState('');
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    const token = /[?#&]token=([^&#\s]+)/.exec(link)?.[1] ?? link.trim();
    keep(editor.api.transcriptId, token);
    void editor.renew(token);
  };
  return (
    <form class="notice info" onSubmit={onSubmit}>
      <label>
        New link{' '}
        <input
          type="text"
          autocomplete="off"
          value={link}
          onInput={({ currentTarget }) => setLink(currentTarget.value)}
        />
      </label>
      <button type="submit" class="button" disabled={link.trim() === ''}>
        Go on
      </button>
    </form>
  );
}
