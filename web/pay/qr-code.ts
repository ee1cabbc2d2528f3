// A QR code as inline SVG: one path, drawn on the server, so that it needs no script, no image request and no style.
import { encode } from 'uqr';
import { QR_OPTIONS, qrPath } from '../../src/values/formats/qr-path.ts';
import { html, type Html } from './html.ts';

/** Draws `text` dark on light; `label` names the picture. */
export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, QR_OPTIONS);
  return html`<svg
    class="qr"
    role="img"
    aria-label="${label}"
    viewBox="0 0 ${size} ${size}"
    shape-rendering="crispEdges"
  >
    <path fill="#fff" d="M0 0h${size}v${size}H0z" />
    <path fill="#000" d="${qrPath(data)}" />
  </svg>`;
}
