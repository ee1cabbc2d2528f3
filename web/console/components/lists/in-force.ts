// Which filters narrow a list: each is a parameter of the page's URL, and has its words.

import { once } from '../hooks/once.ts';

/** The words of a filter by the name of its parameter, in the order in which they are shown. */
export type FilterWords = Readonly<Record<string, (value: string) => string>>;

/** A filter that narrows the list now. */
export interface FilterInForce {
  /** The parameter. */
  readonly name: string;
  readonly words: string;
}

export const inForce = (parameters: URLSearchParams, words: FilterWords): readonly FilterInForce[] =>
  Object.entries(words).flatMap(([name, wordsOf]) => {
    const value = parameters.get(name)?.trim() ?? '';
    return value === '' ? [] : [{ name, words: wordsOf(value) }];
  });

const dates = once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }));

/** The words of a filter by a day, as it is in the URL; what is no day is shown as it is. */
export const ofDay =
  (label: string) =>
  (value: string): string => {
    const day = new Date(value);
    return `${label} ${Number.isNaN(day.getTime()) ? value : dates().format(day)}`;
  };

/** The words of a filter that is chosen from a list. */
export const ofChoice =
  (label: string, options: readonly (readonly [value: string, words: string])[]) =>
  (value: string): string =>
    `${label}: ${options.find(([known]) => known === value)?.[1] ?? value}`;

/** The words of a filter that is typed. */
export const ofText =
  (label: string) =>
  (value: string): string =>
    `${label}: ${value}`;
