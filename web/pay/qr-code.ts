// A QR code as inline SVG: one path, drawn on the server, so that it needs no script, no image request and no style.
import { encode } from 'uqr';
import { html, type Html } from './html.ts';

/**
 * Draws `text` dark on light, with the quiet zone of four modules that ISO/IEC 18004 asks for; `label` names the
 * picture.
 */
export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const path = data.map((row, y) => rowPath(row, y)).join('');
  return html`<svg
    class="qr"
    role="img"
    aria-label="${label}"
    viewBox="0 0 ${size} ${size}"
    shape-rendering="crispEdges"
  >
    <path fill="#fff" d="M0 0h${size}v${size}H0z" />
    <path fill="#000" d="${path}" />
  </svg>`;
}

/** Each run of dark modules in a row is one rectangle: a third of the size of a square per module. */
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
