// The same words as plain HTML: no image, no script, nothing from elsewhere.

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML shows it, in elements and in quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

const BODY = 'margin:0;padding:24px 16px;background:#ffffff;color:#1b1f24;font:16px/1.5 system-ui,sans-serif';
const MAIN = 'max-width:36rem;margin:0 auto;overflow-wrap:anywhere';

interface Page {
  /** A language tag. */
  readonly language: string;
  readonly subject: string;
  readonly lines: readonly string[];
  /** The lines that are links, and nothing else is. */
  readonly links: readonly string[];
}

/** A page of paragraphs, in the direction of its language. */
export function toHtml({ language, subject, lines, links }: Page): string {
  const paragraphs = lines.map((line) => {
    const text = escapeHtml(line);
    return links.includes(line) ? `<p><a href="${text}">${text}</a></p>` : `<p>${text}</p>`;
  });
  return `<!doctype html>
<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>
<body style="${BODY}"><div style="${MAIN}">
${paragraphs.join('\n')}
</div></body>
</html>
`;
}
