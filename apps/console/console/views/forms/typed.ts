import { useEffect, useRef, useState } from 'preact/hooks';

/** After the last letter, before the service is asked. */
const TYPING_MS = 300;

interface Typed {
  text: string;
  type: (text: string) => void;
  /** What was typed, also when the wait for another letter is not over; to be called when an address is led to. */
  take: () => string;
}

/**
 * A field whose text is part of the address. What is typed leads there after a moment, with `lead` as it is by then; another address
 * than that changes the text. `list` names what is searched: in another list the text is another one.
 */
export function useTyped({ value, list = '', lead }: { value: string; list?: string; lead: () => void }): Typed {
  const [text, type] = useState(value);
  const shown = `${list}/${value}`;
  const led = useRef(shown);
  const newest = useRef(lead);
  newest.current = lead;
  useEffect(() => {
    // Another address than the one that this field led to.
    if (shown !== led.current) type(value);
    led.current = shown;
  }, [shown]);
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => newest.current(), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, shown]);
  const take = (): string => {
    led.current = `${list}/${text}`;
    return text;
  };
  return { text, type, take };
}
