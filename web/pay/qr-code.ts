// QR codes as inline SVG: one path, drawn on the server, so that it needs no script, no image request and no style.
import { encode } from 'uqr';
import { QR_OPTIONS, qrPath } from '../../src/values/formats/qr-path.ts';
import { html, type Html, trusted } from './html.ts';

/** A code: the text that it stands for, and the name of the picture. */
interface Code {
  readonly text: string;
  readonly label: string;
}

/** Draws a code dark on light. */
function qrCode({ text, label }: Code): Html {
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

/** Codes to choose from, each under its name; `first` is the name of the one that is seen at first. */
interface Codes {
  readonly title: Html;
  readonly address: Code & { readonly name: Html };
  readonly amount: Code & { readonly name: Html };
  readonly first: 'address' | 'amount';
}

/**
 * Draws the code of the address alone, which every wallet reads, and the one with the amount, which some wallets take
 * for something else. One is in sight; the other is a choice away, without a script. One code if both are the same.
 */
export function qrCodes({ title, address, amount, first }: Codes): Html {
  if (amount.text === '' || amount.text === address.text) return qrCode(address);
  const choice = (id: 'address' | 'amount', name: Html) =>
    html`<input
        type="radio"
        name="code"
        id="code-${id}"
        class="unseen"
        value="${id}"
        autocomplete="off"
        ${first === id && trusted('checked')}
      /><label for="code-${id}">${name}</label>`;
  return html`<fieldset class="codes">
    <legend class="unseen">${title}</legend>
    ${choice('address', address.name)} ${choice('amount', amount.name)}
    <div class="of-address">${qrCode(address)}</div>
    <div class="of-amount">${qrCode(amount)}</div>
  </fieldset>`;
}
