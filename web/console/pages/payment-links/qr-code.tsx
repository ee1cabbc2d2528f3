// A QR code to look at and to save: as SVG for print, as PNG for everything else.

import { useRef, type ReactNode } from 'react';
import { encode } from 'uqr';
import { QR_OPTIONS, qrPath } from '../../../../src/values/formats/qr-path.ts';
import { download } from '../../download.ts';
import { Button } from '../../components/forms/button.tsx';

/** Of a module in the PNG: 33 modules make about 800 pixels, which prints well at a palm's width. */
const MODULE_PIXELS = 20;

interface QrCodeProps {
  /** What it says. */
  readonly text: string;
  /** What the files are named after. */
  readonly name: string;
}

export function QrCode({ text, name }: QrCodeProps): ReactNode {
  const drawing = useRef<SVGSVGElement>(null);
  const { data, size } = encode(text, QR_OPTIONS);
  const path = qrPath(data);
  const file = `qr-code-${name.replace(/[^\p{L}\p{N}]+/gu, '-')}`;
  const saveSvg = () => {
    if (drawing.current)
      download(`${file}.svg`, new XMLSerializer().serializeToString(drawing.current), 'image/svg+xml');
  };
  const savePng = () =>
    drawPicture(path, size).toBlob((picture) => {
      if (picture) download(`${file}.png`, picture, 'image/png');
    });
  return (
    <div className="qr-code">
      <svg
        ref={drawing}
        role="img"
        aria-label="QR code of the link"
        viewBox={`0 0 ${String(size)} ${String(size)}`}
        shapeRendering="crispEdges"
      >
        <path fill="#fff" d={`M0 0h${String(size)}v${String(size)}H0z`} />
        <path fill="#000" d={path} />
      </svg>
      <div className="actions">
        <Button look="quiet" onPress={saveSvg}>
          Save as SVG
        </Button>
        <Button look="quiet" onPress={savePng}>
          Save as PNG
        </Button>
      </div>
    </div>
  );
}

function drawPicture(path: string, size: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = size * MODULE_PIXELS;
  canvas.height = canvas.width;
  const pen = canvas.getContext('2d');
  pen?.scale(MODULE_PIXELS, MODULE_PIXELS);
  if (pen) pen.fillStyle = '#fff';
  pen?.fillRect(0, 0, size, size);
  if (pen) pen.fillStyle = '#000';
  pen?.fill(new Path2D(path));
  return canvas;
}
