// How the names of things are written in tables.

/** Longer ones are broken where they can be. */
const LONGEST = 24;

/** The class of a name: a reference such as BK-10045 is not broken at its hyphen. */
export const classOfName = (name: string): string =>
  name.length <= LONGEST && !/\s/.test(name) ? 'name-of whole' : 'name-of';
