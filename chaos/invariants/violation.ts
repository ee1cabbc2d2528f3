// What ends a run: something that must never be, in words and with the ids it was seen at.

export class Violation extends Error {
  constructor(words: string) {
    super(words);
    this.name = 'Violation';
  }
}
