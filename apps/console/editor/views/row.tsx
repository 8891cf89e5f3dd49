import { memo } from 'preact/compat';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { MAX_CHARACTERS } from '../model/edits.js';
import { piecesOf, type Paragraph } from '../model/paragraph.js';
import type { Hit } from '../model/search.js';
import { clock } from '../model/time.js';

export interface RowActions {
  jump(seconds: number): void;
  focus(id: string): void;
  edit(id: string, caret: number | null): void;
  type(id: string, text: string): void;
  endTyping(): void;
  askSpeaker(id: string): void;
}

export interface RowProps {
  paragraph: Paragraph;
  index: number;
  total: number;
  /** Degrees, for the speaker. */
  hue: number | null;
  /** Vertical position, in pixels. */
  top: number;
  isFocused: boolean;
  /** Count that grows when the row is to take the focus. */
  claim: number;
  /** Wanted position of the caret; null while the paragraph is not edited. */
  caret: { at: number } | null;
  /** Number of the spoken word, -1 before the first; null while another paragraph is spoken. */
  word: number | null;
  hits: readonly Hit[] | null;
  isUnsaved: boolean;
  mayWrite: boolean;
  measure: (element: HTMLElement | null) => void;
  actions: RowActions;
}

/** One paragraph. */
export const Row = memo(function Row(props: RowProps) {
  const { paragraph, index, total, hue, top, isFocused, claim, caret, word, isUnsaved, mayWrite, actions } = props;
  const { id, speaker, time_start: start } = paragraph;
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isFocused && claim > 0 && caret === null) element.current?.focus({ preventScroll: true });
  }, [isFocused, claim, caret]);
  useLayoutEffect(() => props.measure(element.current));
  const name = speaker ?? 'Nobody named';
  const reach = isFocused ? 0 : -1;
  const state = [
    isFocused && 'focused',
    word !== null && 'voiced',
    isUnsaved && 'unsaved',
    caret !== null && 'writing',
  ];
  return (
    <article
      ref={element}
      class={`row ${state.filter(Boolean).join(' ')}`}
      style={{ transform: `translateY(${top}px)`, '--hue': hue ?? 0, '--chroma': hue === null ? 0 : 0.13 }}
      data-index={index}
      tabIndex={reach}
      aria-posinset={index + 1}
      aria-setsize={total}
      aria-labelledby={`who-${id}`}
      aria-describedby={`text-${id}`}
      aria-current={word !== null ? 'true' : undefined}
      onFocus={() => actions.focus(id)}
    >
      <header id={`who-${id}`}>
        {mayWrite ? (
          <button class="who" type="button" tabIndex={reach} onClick={() => actions.askSpeaker(id)}>
            {name}
          </button>
        ) : (
          <span class="who">{name}</span>
        )}
        <button class="when" type="button" tabIndex={reach} onClick={() => actions.jump(start)}>
          <span class="unseen">Play from </span>
          {clock(start)}
        </button>
        {isUnsaved && <span class="mark">not saved</span>}
      </header>
      {caret === null ? <Text {...props} /> : <Writing {...props} caret={caret} />}
    </article>
  );
});

function Text({ paragraph, word, hits, mayWrite, actions }: RowProps) {
  const onClick = (event: MouseEvent): void => {
    const at = wordAt(event);
    const said = at === null ? undefined : paragraph.words[at];
    if (said !== undefined && (getSelection()?.isCollapsed ?? true)) actions.jump(said.time_start);
  };
  const onDblClick = (event: MouseEvent): void => {
    const at = wordAt(event);
    const piece = at === null ? undefined : piecesOf(paragraph).find((each) => each.word === at);
    getSelection()?.removeAllRanges();
    if (mayWrite) actions.edit(paragraph.id, piece?.from ?? null);
  };
  return (
    <p id={`text-${paragraph.id}`} class="text" onClick={onClick} onDblClick={onDblClick}>
      {paragraph.text === '' ? <em>Nothing is written here.</em> : <Words {...{ paragraph, word, hits }} />}
    </p>
  );
}

/** The words as separate elements; the spoken word and search hits are marked. */
function Words({ paragraph, word, hits }: Pick<RowProps, 'paragraph' | 'word' | 'hits'>) {
  return (
    <>
      {piecesOf(paragraph).map(({ text, word: at, from }) => {
        const hit = hits?.some((each) => each.from < from + text.length && each.to > from) === true;
        if (at === null && !hit) return text;
        const state = [at !== null && at === word && 'said', hit && 'hit'].filter(Boolean).join(' ');
        return (
          <span key={from} class={state === '' ? undefined : state} data-word={at ?? undefined}>
            {text}
          </span>
        );
      })}
    </>
  );
}

/** A field over the same text: the spoken word stays marked while editing, and the field is as high as its text. */
function Writing({ paragraph, word, hits, caret, actions }: RowProps & { caret: { at: number } }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(caret.at, caret.at);
  }, [caret]);
  return (
    <div class="text field">
      <p aria-hidden="true">
        <Words {...{ paragraph, word, hits }} />{' '}
      </p>
      <textarea
        ref={field}
        aria-label="Text of the paragraph"
        rows={1}
        spellcheck
        value={paragraph.text}
        maxLength={MAX_CHARACTERS}
        onInput={({ currentTarget }) => actions.type(paragraph.id, currentTarget.value.replace(/\s*\n\s*/g, ' '))}
        onBlur={() => actions.endTyping()}
      />
    </div>
  );
}

function wordAt({ target }: MouseEvent): number | null {
  const at = target instanceof HTMLElement ? target.dataset['word'] : undefined;
  return at === undefined ? null : Number(at);
}
