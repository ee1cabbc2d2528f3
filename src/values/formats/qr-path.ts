// What the pages of customers and the console draw QR codes from. The library that encodes is theirs, as values import
// no packages.

/** How a QR code is encoded here: level M, with the quiet zone of four modules that ISO/IEC 18004 asks for. */
export const QR_OPTIONS = { ecc: 'M', border: 4 } as const;

/**
 * The dark modules of a QR code, by rows, as an SVG path in units of a module. Each run of them in a row is one
 * rectangle: a third of the size of a square per module.
 */
export const qrPath = (modules: readonly (readonly boolean[])[]): string =>
  modules.map((row, y) => rowPath(row, y)).join('');

function rowPath(row: readonly boolean[], y: number): string {
  let path = '';
  for (let start = row.indexOf(true); start !== -1;) {
    const gap = row.indexOf(false, start);
    const end = gap === -1 ? row.length : gap;
    path += `M${start} ${y}h${end - start}v1H${start}z`;
    start = row.indexOf(true, end);
  }
  return path;
}
