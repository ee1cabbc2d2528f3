// A text that is typed, and told a moment after the last key: each change of a filter is a question to the gateway.

import { useEffect, useState } from 'react';

const PAUSE_MS = 300;

export function useTyped(value: string, onChange: (value: string) => void): readonly [string, (typed: string) => void] {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => onChange(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
    // Only what is typed starts the wait anew.
  }, [typed]);
  return [typed, setTyped];
}
