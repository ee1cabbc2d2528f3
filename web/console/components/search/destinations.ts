// Where the search and the keys of every page lead to.

/** A page that can be gone to, or a thing that can be done there. */
export interface Destination {
  readonly path: string;
  readonly words: string;
  /** The letter that goes there after a `g`, or by itself where something is done. */
  readonly letter?: string | undefined;
}

export interface Destinations {
  readonly pages: readonly Destination[];
  /** What can be made or done, such as a new payment. */
  readonly deeds: readonly Destination[];
}
