import { useState } from 'preact/hooks';
import type { Editor } from '../state/editor.js';
import { count } from '../state/editor.js';
import type { DialogName } from './act-on.js';

interface HeaderProps {
  editor: Editor;
  onOpen: (dialog: DialogName) => void;
  onSearch: () => void;
}

/** The title and the actions of the page; actions that the token does not allow are not shown. */
export function Header({ editor, onOpen, onSearch }: HeaderProps) {
  const button = (text: string, act: () => void, label?: string) => (
    <button type="button" class="quiet" aria-label={label} onClick={act}>
      {text}
    </button>
  );
  return (
    <header class="top">
      <span class="brand" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      <Title editor={editor} />
      <LanguageChoice editor={editor} />
      <nav aria-label="Transcript">
        {button('Search', onSearch)}
        {editor.mayWrite && button('Speakers', () => onOpen('speakers'))}
        {button('Versions', () => onOpen('versions'))}
        {editor.mayExport && button('Export', () => onOpen('export'))}
        {button('?', () => onOpen('help'), 'Keys')}
        <ThemeButton />
      </nav>
      <SaveButton editor={editor} />
    </header>
  );
}

function Title({ editor }: { editor: Editor }) {
  const { transcript, access, base } = editor;
  return (
    <div class="title">
      <h1>{titleOf(editor)}</h1>
      <small>
        Version {base.version}
        {transcript !== null && access.media !== null && transcript.tag !== '' && ` · ${access.media.filename}`}
        {!access.scopes.includes('transcript.write') && ' · to read'}
      </small>
    </div>
  );
}

function LanguageChoice({ editor }: { editor: Editor }) {
  const { variants, variantId, unsaved } = editor;
  if (variants.length <= 1) return null;
  return (
    <select
      aria-label="Language"
      value={variantId}
      disabled={unsaved > 0}
      title={unsaved > 0 ? 'Save first what you have changed' : undefined}
      onChange={({ currentTarget }) =>
        void editor.openVariant(currentTarget.value).catch((error: unknown) => editor.fail(error))
      }
    >
      {variants.map(({ id, name, language }) => (
        <option key={id} value={id}>
          {language === null || language === name ? name : `${name} (${language})`}
        </option>
      ))}
    </select>
  );
}

function SaveButton({ editor }: { editor: Editor }) {
  const { access, unsaved, saving, mayWrite } = editor;
  if (!access.scopes.includes('transcript.write')) return null;
  return (
    <button
      type="button"
      class="button strong"
      disabled={unsaved === 0 || saving || !mayWrite}
      onClick={() => void editor.save()}
    >
      {saving ? 'Saving…' : unsaved === 0 ? 'Saved' : `Save ${count(unsaved, 'change')}`}
    </button>
  );
}

export function titleOf({ transcript, access }: Editor): string {
  const { tag = '', source = '' } = transcript ?? {};
  if (tag !== '') return tag;
  return (
    access.media?.filename ??
    source
      .split(/[/\\]/)
      .at(-1)
      ?.replace(/[?#].*$/, '') ??
    'Transcript'
  );
}

function ThemeButton() {
  const root = document.documentElement;
  const isDark = (): boolean =>
    (root.dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
  const [dark, setDark] = useState(isDark);
  const onClick = (): void => {
    root.dataset['theme'] = dark ? 'light' : 'dark';
    setDark(!dark);
  };
  return (
    <button type="button" class="quiet" aria-label={dark ? 'Light' : 'Dark'} onClick={onClick}>
      {dark ? '☀' : '☾'}
    </button>
  );
}
