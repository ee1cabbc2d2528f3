// A QR code as a drawing.

import type { ReactNode, Ref } from 'react';
import { encode } from 'uqr';
import { QR_OPTIONS, qrPath } from '../../../src/values/formats/qr-path.ts';

interface QrDrawingProps {
  /** What it says. */
  readonly text: string;
  /** What a screen reader says of it. */
  readonly label: string;
  readonly drawing?: Ref<SVGSVGElement>;
}

export function QrDrawing({ text, label, drawing }: QrDrawingProps): ReactNode {
  const { data, size } = encode(text, QR_OPTIONS);
  const side = String(size);
  return (
    <svg ref={drawing} role="img" aria-label={label} viewBox={`0 0 ${side} ${side}`} shapeRendering="crispEdges">
      <path fill="#fff" d={`M0 0h${side}v${side}H0z`} />
      <path fill="#000" d={qrPath(data)} />
    </svg>
  );
}
