import { useRef, useState } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { imagesText } from '../../messages/datasets.en.js';
import { FINDINGS, type ImageShow } from '../../model/datasets.js';
import type { ClassImages } from '../../state/datasets/class-images.js';
import type { Outcome } from '../../state/datasets/many.js';
import { ActButton } from '../act-button.js';
import { faultMessage } from '../fault-text.js';
import { ImageDialog } from './image-dialog.js';
import { ImageGrid } from './image-grid.js';
import { ImageSelection } from './image-selection.js';
import type { DatasetPageProps } from './page-props.js';

const SHOWS: readonly ImageShow[] = ['all', 'inactive', 'match', ...FINDINGS];
/** Failures that are listed. */
const MAX_FAILURES = 10;

export interface ClassImagesPartProps extends DatasetPageProps {
  images: ClassImages;
  show: ImageShow;
  showOnly: (show: ImageShow) => void;
}

/** What did not work with some of many. */
interface Failures {
  count: number;
  lines: string[];
}

/** The images of a class: a grid to add to, to choose from, and to look at. Another `show` needs another `key`. */
export function ClassImagesPart({ images, show, showOnly, ...around }: ClassImagesPartProps) {
  const { session, notices, pictures } = around;
  const text = useMessages(imagesText);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [looked, setLooked] = useState<number | null>(null);
  const [asksToRemove, setAsks] = useState(false);
  const [failures, setFailures] = useState<Failures | null>(null);
  const { images: all, total, work, loading, fault } = images;
  const chosen = all.filter(({ id }) => selected.has(id));
  const add = async (files: readonly File[]): Promise<void> => {
    setFailures(null);
    const { done, failed } = await images.add(files);
    if (done > 0) notices.say(text.added(done));
    const lines = failed.map(({ at, error }) => `${files[at]?.name ?? ''}: ${faultMessage(error)}`);
    if (failed.length > 0) setFailures({ count: failed.length, lines });
  };
  /** Says what became of many; answers those that worked. */
  const settle = ({ failed }: Outcome): void => {
    setSelected(new Set());
    const lines = [...new Set(failed.map(({ error }) => faultMessage(error)))];
    setFailures(failed.length === 0 ? null : { count: failed.length, lines });
  };
  return (
    <section class="class-images">
      <Dropped {...{ ...around, images, show, showOnly, add }} />
      <p role="status" class="soft">
        {work !== null && text.working(work)}
      </p>
      {failures !== null && (
        <div class="fault" role="alert">
          <p>{text.failed(failures.count)}</p>
          <ul>
            {failures.lines.slice(0, MAX_FAILURES).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
      {fault !== null && (
        <p class="fault" role="alert">
          {faultMessage(fault)}
        </p>
      )}
      {chosen.length > 0 && (
        <ImageSelection
          {...{ session, notices, images, chosen, settle, asksToRemove, setAsks }}
          clear={() => setSelected(new Set())}
          look={() => setLooked(all.findIndex(({ id }) => selected.has(id)))}
        />
      )}
      {!loading && total === 0 && <p class="empty">{show === 'all' ? text.none : text.noneShown}</p>}
      {all.length > 0 && (
        <ImageGrid
          {...{ images, pictures, selected, setSelected, look: setLooked }}
          askToRemove={() => chosen.length > 0 && session.mayWrite && setAsks(true)}
        />
      )}
      <p class="soft keys">{text.keys}</p>
      {looked !== null && all[looked] !== undefined && (
        <ImageDialog {...{ images, pictures, at: looked, go: setLooked }} onClose={() => setLooked(null)} />
      )}
    </section>
  );
}

type DroppedProps = Omit<ClassImagesPartProps, 'pictures' | 'route'> & {
  add: (files: readonly File[]) => Promise<void>;
};

/** Where images are dropped or chosen, and which of them are shown. */
function Dropped({ session, notices, images, show, showOnly, add }: DroppedProps) {
  const text = useMessages(imagesText);
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  return (
    <div
      class={over ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const files = [...(event.dataTransfer?.files ?? [])];
        if (files.length > 0 && session.mayWrite) void add(files);
      }}
    >
      <span>{text.drop}</span>
      <ActButton
        {...{ session, notices, label: text.choose, busy: images.work !== null, act: () => input.current?.click() }}
      />
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept="image/*"
        aria-label={text.choose}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          currentTarget.value = '';
          if (files.length > 0) void add(files);
        }}
      />
      <select
        aria-label={text.which}
        value={show}
        onChange={({ currentTarget: { value } }) => showOnly(SHOWS.find((each) => each === value) ?? 'all')}
      >
        {SHOWS.map((each) => (
          <option key={each} value={each}>
            {text[each]}
          </option>
        ))}
      </select>
    </div>
  );
}
