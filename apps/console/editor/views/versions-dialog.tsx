import type { ParagraphDifference, TranscriptVersion } from '@adit/client';
import { useEffect, useState } from 'preact/hooks';
import { clock } from '../model/time.js';
import { count, type Editor } from '../state/editor.js';
import { Dialog } from '../../shared/dialog.js';

const when = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** All versions, newest first. Each can be compared with any other and restored. */
export function VersionsDialog({ editor, onClose }: { editor: Editor; onClose: () => void }) {
  const [versions, setVersions] = useState<TranscriptVersion[]>([]);
  const [total, setTotal] = useState(0);
  const [compared, setCompared] = useState<{ from: number; to: number } | null>(null);
  const more = async (offset: number): Promise<void> => {
    const page = await editor.api.versions(editor.variantId, offset);
    setVersions((known) => [...known.slice(0, offset), ...page.data]);
    setTotal(page.total);
  };
  const load = (offset: number): void => void more(offset).catch((error: unknown) => editor.fail(error));
  useEffect(() => load(0), []);
  const restore = (version: number): void => {
    onClose();
    void editor.restore(version);
  };
  const before = (at: number): number => versions[at + 1]?.version ?? versions[at]?.version ?? 1;
  if (compared !== null) {
    const onBack = (): void => setCompared(null);
    return (
      <Dialog title="What has changed" kind="side" onClose={onClose}>
        <Comparison {...{ editor, versions, compared, onBack }} onCompare={setCompared} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Versions" kind="side" onClose={onClose}>
      <ol class="versions">
        {versions.map((version, at) => (
          <Version
            key={version.version}
            editor={editor}
            version={version}
            onCompare={at < total - 1 ? () => setCompared({ from: before(at), to: version.version }) : null}
            onRestore={() => restore(version.version)}
          />
        ))}
      </ol>
      {versions.length < total && (
        <button type="button" class="button" onClick={() => load(versions.length)}>
          Older ones
        </button>
      )}
    </Dialog>
  );
}

interface VersionProps {
  editor: Editor;
  version: TranscriptVersion;
  /** Null for the first version, which has none before it. */
  onCompare: (() => void) | null;
  onRestore: () => void;
}

function Version({ editor, version: shown, onCompare, onRestore }: VersionProps) {
  const { version, time_created: time, author, restored_version: restored, paragraph_count: paragraphs } = shown;
  const isShown = version === editor.base.version;
  return (
    <li class={isShown ? 'now' : undefined}>
      <div>
        <b>Version {version}</b> {isShown && <span class="mark">shown</span>}
        <small>
          {when.format(new Date(time))} · {author} · {count(paragraphs, 'paragraph')}
          {restored !== null && ` · version ${restored} brought back`}
        </small>
      </div>
      {onCompare !== null && (
        <button type="button" class="button" onClick={onCompare}>
          Compare<span class="unseen"> version {version} with the one before</span>
        </button>
      )}
      {editor.mayWrite && !isShown && (
        <button
          type="button"
          class="button"
          disabled={editor.unsaved > 0}
          title={editor.unsaved > 0 ? 'Save first what you have changed' : undefined}
          onClick={onRestore}
        >
          Bring back<span class="unseen"> version {version}</span>
        </button>
      )}
    </li>
  );
}

interface ComparisonProps {
  editor: Editor;
  versions: TranscriptVersion[];
  compared: { from: number; to: number };
  onCompare: (compared: { from: number; to: number }) => void;
  onBack: () => void;
}

function Comparison({ editor, versions, compared, onCompare, onBack }: ComparisonProps) {
  const [found, setFound] = useState<{ total: number; data: ParagraphDifference[] } | null>(null);
  const { from, to } = compared;
  const load = (known: ParagraphDifference[]): void => {
    editor.api
      .differences(editor.variantId, { from, to, offset: known.length })
      .then(({ total, data }) => setFound({ total, data: [...known, ...data] }))
      .catch((error: unknown) => editor.fail(error));
  };
  useEffect(() => {
    setFound(null);
    load([]);
  }, [from, to]);
  const choice = (label: string, value: number, onChoice: (version: number) => void) => (
    <label>
      {label}{' '}
      <select value={value} onChange={({ currentTarget }) => onChoice(Number(currentTarget.value))}>
        {versions.map(({ version }) => (
          <option key={version} value={version}>
            Version {version}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <>
      <div class="choices">
        <button type="button" class="plain" aria-label="Back to the versions" onClick={onBack}>
          ‹
        </button>
        {choice('From', from, (version) => onCompare({ from: version, to }))}
        {choice('to', to, (version) => onCompare({ from, to: version }))}
      </div>
      <p class="soft" role="status">
        {found === null
          ? 'Comparing…'
          : found.total === 0
            ? 'They are the same.'
            : `${count(found.total, 'paragraph')}`}
      </p>
      <ol class="differences">
        {found?.data.map((difference) => (
          <Difference key={difference.id} difference={difference} />
        ))}
      </ol>
      {found !== null && found.data.length < found.total && (
        <button type="button" class="button" onClick={() => load(found.data)}>
          More
        </button>
      )}
    </>
  );
}

const KINDS = { added: 'Added', removed: 'Deleted', changed: 'Changed' };

function Difference({ difference: { kind, before, after, words } }: { difference: ParagraphDifference }) {
  const shown = after ?? before;
  const [was, is] = [before?.speaker ?? 'Nobody named', after?.speaker ?? 'Nobody named'];
  return (
    <li>
      <header>
        {kind === 'changed' && was !== is ? (
          <span>
            <del>{was}</del> <ins>{is}</ins>
          </span>
        ) : (
          <span>{shown?.speaker ?? 'Nobody named'}</span>
        )}
        <small>
          {clock(shown?.time_start ?? 0)} · {KINDS[kind]}
        </small>
      </header>
      <p>
        {words.map(({ kind: how, text }, at) => {
          const Element = how === 'removed' ? 'del' : how === 'added' ? 'ins' : 'span';
          return [<Element key={at}>{text}</Element>, ' '];
        })}
      </p>
    </li>
  );
}
