// Brings the page to life.
import { makeClock } from './clock.js';
import { startDetails } from './details.js';
import { startGallery } from './gallery.js';
import { data, isStill, kindOrder, select } from './page.js';
import { startPeople } from './people.js';
import { startPlayer } from './player.js';
import { startSpoken } from './spoken.js';
import { startTable } from './table.js';
import { startTimeline } from './timeline.js';

function startTheme() {
  const button = document.getElementById('theme');
  const dark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  };
  const name = () => {
    button.textContent = dark() ? 'Light' : 'Dark';
  };
  button.hidden = false;
  name();
  button.addEventListener('click', () => {
    document.documentElement.dataset.theme = dark() ? 'light' : 'dark';
    name();
  });
}

startTheme();
startPeople();
startDetails();
startGallery();
for (const section of document.querySelectorAll('.film')) {
  const sourceIndex = Number(section.dataset.source);
  const clock = makeClock();
  startTimeline(section.querySelector('.timeline'), sourceIndex, clock);
  const [player, spoken] = [section.querySelector('.media'), section.querySelector('.spoken')];
  startPlayer(player, sourceIndex, clock);
  spoken.hidden = !startSpoken(spoken, sourceIndex, clock);
}
startTable();

// A film opens on its longest appearance of somebody known, else of the kind that is shown first; pictures show everything
// at once already.
const length = (segment) =>
  segment.timeEnd -
  segment.timeStart +
  (segment.label === 'unknown' ? 0 : 1e9 * (10 - Math.min(kindOrder(segment.type), 9)));
let longest = -1;
data.segments.forEach((segment, index) => {
  if (isStill(data.sources[segment.sourceIndex])) return;
  if (longest < 0 || length(segment) > length(data.segments[longest])) longest = index;
});
if (longest >= 0) select(longest, 'page');
