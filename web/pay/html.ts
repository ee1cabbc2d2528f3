// The only way from text to markup on the payment page: whatever is not markup already is escaped.

const MARKUP = Symbol('markup');

/** Markup that is safe to send. The symbol cannot come from JSON, so no data can pass for markup. */
export interface Html {
  readonly [MARKUP]: string;
}

/** Values that a template accepts: null, undefined and false render nothing, lists are joined. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/**
 * The tagged template. Values are escaped for element text and for attribute values in double quotes, and are allowed
 * nowhere else: not in a tag or attribute name, not in a script or style, and in a URL attribute only after a check of
 * the scheme.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return trusted(strings.reduce((text, part, index) => text + markupOf(values[index - 1]) + part));
}

/** Marks a string as markup without escaping it: only for constants of this program. */
export function trusted(markup: string): Html {
  return { [MARKUP]: markup };
}

/** The HTML to send. */
export function render(markup: Html): string {
  return markup[MARKUP];
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

function markupOf(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'string') return value.replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');
  if (typeof value === 'number') return String(value);
  return isList(value) ? value.map(markupOf).join('') : value[MARKUP];
}

// Array.isArray does not narrow readonly arrays.
function isList(value: Html | readonly HtmlValue[]): value is readonly HtmlValue[] {
  return Array.isArray(value);
}
