// A preview of the merchant's logo, name and colour as customers see them, with a check of the contrast.

import { useEffect, useState, type ReactNode } from 'react';
import { COLOURS } from '../../../../src/values/look/tokens.ts';

interface PreviewProps {
  readonly companyName: string;
  readonly logoUrl: string;
  readonly accentColor: string;
}

/** Ours, in the light. */
const [PLAIN] = COLOURS.accent;

export function Preview({ companyName, logoUrl, accentColor }: PreviewProps): ReactNode {
  const isColour = /^#[0-9a-f]{6}$/i.test(accentColor);
  const isReadable = !isColour || contrastWithWhite(accentColor) >= 4.5;
  return (
    <section className="preview" aria-label="Preview of the payment page">
      <p className="quietly">Preview</p>
      <div className="pay">
        <Logo key={logoUrl} url={logoUrl} />
        <strong className="long">{companyName || 'Your company'}</strong>
        <p>Send exactly</p>
        <p className="sum">25.00 USDT</p>
        <span className="go" style={{ background: isColour && isReadable ? accentColor : PLAIN }}>
          Open in wallet
        </span>
      </div>
      {!isReadable && (
        <p className="fault" role="status">
          White text on this colour is hard to read (contrast {contrastWithWhite(accentColor).toFixed(1)} : 1, 4.5 is
          needed); the payment page will use its default colour.
        </p>
      )}
    </section>
  );
}

/** Waits until the merchant stops typing: a half-typed URL is not an address. */
function Logo({ url }: { readonly url: string }): ReactNode {
  const [isSettled, setSettled] = useState(false);
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), 600);
    return () => clearTimeout(timer);
  }, []);
  if (url === '' || !isSettled || !URL.canParse(url)) return null;
  if (isBroken) return <p className="fault">The logo cannot be loaded from there.</p>;
  return <img src={url} alt="" onError={() => setBroken(true)} referrerPolicy="no-referrer" />;
}

/** The contrast of white on a colour (WCAG 2.2, 1.4.3). */
function contrastWithWhite(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
