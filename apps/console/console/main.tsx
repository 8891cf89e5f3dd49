import { translationsLoading } from '@nanostores/i18n';
import { render } from 'preact';
import { i18n } from './messages/i18n.js';
import { MESSAGES } from './messages/en.js';
import { preferredLanguage, setLanguage, showTheme, theme } from './state/preferences.js';
import { Route } from './state/route.js';
import { Session } from './state/session.js';
import { App } from './views/app.js';

showTheme(theme());
// All of them stay in use, so that another language comes for the whole page at once.
for (const messages of MESSAGES) messages.listen(() => undefined);
setLanguage(preferredLanguage());
await translationsLoading(i18n);

const session = new Session();
const route = new Route();
const root = document.getElementById('console');
if (root !== null) render(<App session={session} route={route} />, root);
// The sign-in page says what is wrong when the service does not answer.
const resume = (): Promise<void> => session.resume(route.takeCode()).catch(() => undefined);
// A link that signs in may be opened where a page is open already.
route.observe(() => void (route.place.page === 'sign-in' && route.place.code !== '' && resume()));
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void session.lookAgain();
});
await resume();
