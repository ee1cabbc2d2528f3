// What is wrong with a number as it is typed, before the gateway is asked.

/** The error of a number field, with its bounds; null if the value is valid or empty. */
export function numberFault(text: string, form: RegExp, least: number, most: number, kind: string): string | null {
  const value = text.trim();
  if (value === '') return null;
  const isGood = form.test(value) && Number(value) >= least && Number(value) <= most;
  return isGood ? null : `From ${String(least)} to ${String(most)}, ${kind}`;
}
