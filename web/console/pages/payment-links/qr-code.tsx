// A QR code to look at and to save: as SVG for print, as PNG for everything else.

import { useRef, type ReactNode } from 'react';
import { encode } from 'uqr';
import { QR_OPTIONS, qrPath } from '../../../../src/values/formats/qr-path.ts';
import { download } from '../../download.ts';
import { Button } from '../../components/forms/button.tsx';
import { QrDrawing } from '../../components/qr-drawing.tsx';

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
  const file = `qr-code-${name.replace(/[^\p{L}\p{N}]+/gu, '-')}`;
  const saveSvg = () => {
    if (drawing.current)
      download(`${file}.svg`, new XMLSerializer().serializeToString(drawing.current), 'image/svg+xml');
  };
  const savePng = () =>
    drawPicture(text).toBlob((picture) => {
      if (picture) download(`${file}.png`, picture, 'image/png');
    });
  return (
    <div className="qr-code">
      <QrDrawing text={text} label="QR code of the link" drawing={drawing} />
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

function drawPicture(text: string): HTMLCanvasElement {
  const { data, size } = encode(text, QR_OPTIONS);
  const canvas = document.createElement('canvas');
  canvas.width = size * MODULE_PIXELS;
  canvas.height = canvas.width;
  const pen = canvas.getContext('2d');
  pen?.scale(MODULE_PIXELS, MODULE_PIXELS);
  if (pen) pen.fillStyle = '#fff';
  pen?.fillRect(0, 0, size, size);
  if (pen) pen.fillStyle = '#000';
  pen?.fill(new Path2D(qrPath(data)));
  return canvas;
}
