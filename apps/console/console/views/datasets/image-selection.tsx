import type { DatasetClass, DatasetImage } from '@adit/client';
import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import { Dialog } from '../../../shared/dialog.js';
import { useObserved } from '../../../shared/observed.js';
import { shellText } from '../../messages/en.js';
import { useMessages } from '../../messages/i18n.js';
import { datasetsText, imagesText } from '../../messages/datasets.en.js';
import type { ClassImages } from '../../state/datasets/class-images.js';
import { DatasetDetail } from '../../state/datasets/dataset-detail.js';
import type { Outcome } from '../../state/datasets/many.js';
import type { Notices } from '../../state/notices.js';
import type { Session } from '../../state/session.js';
import { ActButton, attempt } from '../act-button.js';
import { ConfirmDialog } from '../forms/confirm-dialog.js';

/** After the last letter, before the service is asked. */
const TYPING_MS = 300;

interface ImageSelectionProps {
  session: Session;
  notices: Notices;
  images: ClassImages;
  chosen: readonly DatasetImage[];
  asksToRemove: boolean;
  setAsks: (asks: boolean) => void;
  settle: (outcome: Outcome) => void;
  clear: () => void;
  look: () => void;
}

/** What can be done with the images that are selected. */
export function ImageSelection(props: ImageSelectionProps) {
  const { session, notices, images, chosen, asksToRemove, setAsks, settle, clear, look } = props;
  const text = useMessages(imagesText);
  const [moves, setMoves] = useState(false);
  const ids = chosen.map(({ id }) => id);
  const same = { session, notices, busy: images.work !== null };
  const undo = (act: () => Promise<Outcome>) => ({
    label: text.undo,
    act: () =>
      void attempt({ session, notices }, async () => {
        settle(await act());
        notices.say(text.undone);
      }),
  });
  const activate = async (active: boolean): Promise<void> => {
    const changed = chosen.filter((image) => image.active !== active).map(({ id }) => id);
    const outcome = await images.activate(changed, active);
    settle(outcome);
    notices.say(text.changed(outcome.done), { action: undo(() => images.activate(changed, !active)) });
  };
  const move = async ({ id: to, label: name }: DatasetClass): Promise<void> => {
    const from = images.place.classId;
    const outcome = await images.move(ids, { from, to });
    settle(outcome);
    const failed = new Set(outcome.failed.map(({ at }) => ids[at]));
    const moved = ids.filter((id) => !failed.has(id));
    const back = undo(() => images.move(moved, { from: to, to: from }));
    notices.say(text.moved({ count: moved.length, name }), { action: moved.length > 0 ? back : null });
  };
  const remove = async (): Promise<void> => {
    const outcome = await images.remove(ids);
    settle(outcome);
    notices.say(text.removed(outcome.done));
  };
  return (
    <div class="selection">
      <span role="status">{text.selected(chosen.length)}</span>
      <button type="button" onClick={look}>
        {text.look}
      </button>
      <ActButton {...same} label={text.move} act={() => setMoves(true)} />
      {chosen.some(({ active }) => active) && (
        <ActButton {...same} label={text.deactivate} act={() => void activate(false)} />
      )}
      {chosen.some(({ active }) => !active) && (
        <ActButton {...same} label={text.activate} act={() => void activate(true)} />
      )}
      <ActButton {...same} label={text.remove} kind="danger" act={() => setAsks(true)} />
      <button type="button" class="quiet" onClick={clear}>
        {text.clear}
      </button>
      {moves && (
        <MoveDialog {...{ session, notices, images, onClose: () => setMoves(false) }} move={(to) => void move(to)} />
      )}
      {asksToRemove && (
        <ConfirmDialog
          {...{ title: text.removeTitle, text: text.removeText, submitLabel: text.removeSubmit }}
          onClose={() => setAsks(false)}
          act={() => void remove()}
        />
      )}
    </div>
  );
}

interface MoveDialogProps {
  session: Session;
  notices: Notices;
  images: ClassImages;
  onClose: () => void;
  move: (to: DatasetClass) => void;
}

/** Asks where images go: to a class that is there, or to a new one. */
function MoveDialog({ session, notices, images, onClose, move }: MoveDialogProps) {
  const text = useMessages(imagesText);
  const datasets = useMessages(datasetsText);
  const shell = useMessages(shellText);
  const id = useId();
  const { datasetId, classId } = images.place;
  const detail = useMemo(() => new DatasetDetail(session, datasetId), [session, datasetId]);
  useObserved(detail);
  const [search, setSearch] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => void detail.open(search.trim()), search === '' ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [search]);
  const others = detail.classes.filter((one) => one.id !== classId);
  const name = search.trim();
  const isNew = name !== '' && detail.classes.every(({ label }) => label !== name);
  const take = (to: DatasetClass): void => {
    onClose();
    move(to);
  };
  const create = (): Promise<boolean> => attempt({ session, notices }, async () => take(await detail.addClass(name)));
  return (
    <Dialog title={text.moveTitle} closeLabel={shell.close} onClose={onClose}>
      <div class="sheet-form">
        <label for={id}>{text.moveTo}</label>
        <input
          id={id}
          type="search"
          autofocus
          maxLength={255}
          autocomplete="off"
          placeholder={datasets.findClass}
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <ul class="choices">
          {others.map((one) => (
            <li key={one.id}>
              <button type="button" onClick={() => take(one)}>
                {one.label} <small>{datasets.images(one.number_of_images)}</small>
              </button>
            </li>
          ))}
          {isNew && (
            <li>
              <button type="button" onClick={() => void create()}>
                {name} <small>{text.moveNew}</small>
              </button>
            </li>
          )}
        </ul>
      </div>
    </Dialog>
  );
}
