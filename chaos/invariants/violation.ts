// The error that ends a run: an invariant that does not hold, with the ids where it was seen.

export class Violation extends Error {
  constructor(words: string) {
    super(words);
    this.name = 'Violation';
  }
}
