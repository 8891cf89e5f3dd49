import { COMMANDS, isCommand, keysOf } from '../model/commands.js';
import { Dialog } from '../../shared/dialog.js';

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
const NAMES: Record<string, string> = {
  Mod: isMac ? '⌘' : 'Ctrl',
  Alt: isMac ? '⌥' : 'Alt',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
};

/** Lists all keys. */
export function HelpDialog({ mayWrite, onClose }: { mayWrite: boolean; onClose: () => void }) {
  const shown = Object.keys(COMMANDS)
    .filter(isCommand)
    .filter((name) => mayWrite || !('writes' in COMMANDS[name]));
  return (
    <Dialog title="Keys" onClose={onClose}>
      <table class="keys">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Reading</th>
            {mayWrite && <th scope="col">Writing</th>}
          </tr>
        </thead>
        <tbody>
          {shown.map((name) => (
            <tr key={name}>
              <th scope="row">{COMMANDS[name].label}</th>
              <td>{chords(keysOf(name, 'reading'))}</td>
              {mayWrite && <td>{chords(keysOf(name, 'writing'))}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="soft">A click on a word plays from there{mayWrite ? ', two clicks edit it' : ''}.</p>
    </Dialog>
  );
}

function chords(keys: string[]) {
  return keys.map((chord) => (
    <kbd key={chord}>
      {chord
        .split('+')
        .map((key) => NAMES[key] ?? key)
        .join(' ')}
    </kbd>
  ));
}
