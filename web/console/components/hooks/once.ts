// What is made when it is first needed, and kept. A page's first formatter of dates or numbers takes a phone as long as
// drawing the page does: none is made before something is written with it.

/** `make`, called at most once: with the first call of what this returns. */
export function once<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}
