import { useEffect, useRef, useState } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { searchText } from '../../messages/search.en.js';
import { queryOf, type Question } from '../../model/question.js';
import { saveAs } from '../../state/download.js';
import { exportedFile } from '../../state/exported-file.js';
import type { Notices } from '../../state/notices.js';
import type { Session } from '../../state/session.js';
import { ActButton } from '../act-button.js';
import { FormDialog } from '../forms/form-dialog.js';

/** Frames that a cut may be longer on each side. */
const MOST_HANDLES = 1_000;

interface SearchExportProps {
  session: Session;
  notices: Notices;
  question: Question;
}

/** Has what was found written for an editing program, and gives it to the person. */
export function SearchExport({ session, notices, question }: SearchExportProps) {
  const text = useMessages(searchText);
  const [isAsked, setIsAsked] = useState(false);
  const left = useRef(new AbortController());
  useEffect(() => () => left.current.abort(), []);
  const close = (): void => {
    left.current.abort();
    left.current = new AbortController();
    setIsAsked(false);
  };
  const write = async ({ format, handles }: Record<string, string>): Promise<void> => {
    const config = { search: queryOf(question), format, handles: Number(handles) };
    const { signal } = left.current;
    const { reply, filename } = await exportedFile(session, { strategy: 'segments_export', config }, signal);
    await saveAs(reply, filename);
  };
  const choices = [
    ['edl', 'CMX 3600 (EDL)'],
    ['fcp7xml', 'Final Cut Pro 7 XML'],
    ['fcpxml', 'FCPXML'],
    ['otio', 'OpenTimelineIO'],
    ['ale', 'Avid Log Exchange (ALE)'],
    ['avid_markers', text.avidMarkers],
    ['resolve_edl', text.resolveMarkers],
    ['stl', text.subtitles],
    ['vtt', text.chapters],
    ['csv', text.table],
  ] as const;
  return (
    <>
      <ActButton {...{ session, notices, label: text.export, act: () => setIsAsked(true) }} />
      {isAsked && (
        <FormDialog
          {...{ session, title: text.exportTitle, submitLabel: text.exportSubmit, submit: write, onClose: close }}
          fields={[
            { name: 'format', label: text.format, hint: text.formatHint, kind: 'choice', choices, value: 'edl' },
            { name: 'handles', label: text.handles, kind: 'number', value: '0', most: MOST_HANDLES },
          ]}
        />
      )}
    </>
  );
}
