import { useEffect } from 'preact/hooks';
import { commandFor, type Mode } from '../model/commands.js';
import type { Editor } from '../state/editor.js';
import { actOn, type Desk } from './act-on.js';
import { titleOf } from './header.js';

export function useTitle(editor: Editor): void {
  useEffect(() => {
    if (editor.transcript !== null) document.title = `${titleOf(editor)} · Adit`;
  }, [editor.transcript, editor.access]);
}

/** Lets the browser ask before it leaves a page with unsaved changes. */
export function useLeaveGuard(editor: Editor): void {
  useEffect(() => {
    const stay = (event: BeforeUnloadEvent): void => {
      if (editor.unsaved > 0) event.preventDefault();
    };
    addEventListener('beforeunload', stay);
    return () => removeEventListener('beforeunload', stay);
  }, []);
}

/** Runs commands from the keyboard; keys in dialogs and of controls stay with the browser. */
export function useShortcuts(latest: { readonly current: Desk }): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { target } = event;
      if (!(target instanceof HTMLElement) || event.defaultPrevented || target.closest('dialog') !== null) return;
      const isText = target instanceof HTMLTextAreaElement;
      const control = !isText && target.closest('button, input, select, a, label') !== null;
      if (control && !event.ctrlKey && !event.metaKey) return;
      const mode: Mode = isText ? 'writing' : 'reading';
      const command = commandFor(event, mode, latest.current.editor.mayWrite);
      if (command === null) return;
      const caret = isText ? { from: target.selectionStart, to: target.selectionEnd } : null;
      if (actOn(latest.current, command, { selection: caret })) event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
