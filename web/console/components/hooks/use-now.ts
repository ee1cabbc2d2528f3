// The time of the browser's clock, which goes on by itself.

import { useEffect, useState } from 'react';

/** The time in milliseconds, at most `everyMs` old. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
