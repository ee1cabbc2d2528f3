// The mark of Turnpike, a barrier that opens, as the icon of every page: in the page itself, so that it is there below
// any prefix and costs no request.

const DRAWING =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='7' fill='#3347e0'/>" +
  "<path d='M9 25V12M9 14 25 8' fill='none' stroke='#fff' stroke-width='4' stroke-linecap='round'/></svg>";

/** A data URL, safe within double quotes. */
export const MARK = `data:image/svg+xml,${DRAWING.replace(/[<>#]/g, (character) => encodeURIComponent(character))}`;
