import { useState } from 'preact/hooks';
import { shellText } from '../messages/en.js';
import { language, LANGUAGES, useMessages } from '../messages/i18n.js';
import { setLanguage, setTheme, theme, type Theme } from '../state/preferences.js';

/** Appearance and language. */
export function Preferences() {
  const text = useMessages(shellText);
  const [shown, setShown] = useState<Theme>(theme());
  const themes: Record<Theme, string> = { system: text.themeSystem, light: text.themeLight, dark: text.themeDark };
  const choose = (wanted: string): void => {
    if (wanted !== 'system' && wanted !== 'light' && wanted !== 'dark') return;
    setTheme(wanted);
    setShown(wanted);
  };
  return (
    <div class="preferences">
      <select aria-label={text.theme} value={shown} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {Object.entries(themes).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label={text.language}
        value={language.get()}
        onChange={({ currentTarget }) => setLanguage(currentTarget.value)}
      >
        {Object.entries(LANGUAGES).map(([value, name]) => (
          <option key={value} value={value} lang={value}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
