// The only way from text to markup on the payment page: whatever is not markup already is escaped.

const MARKUP = Symbol('markup');

/** Markup that is safe as it stands. The symbol cannot come out of JSON, so no data can pass for it. */
export interface Html {
  readonly [MARKUP]: string;
}

/** What may stand in a template: null, undefined and false are nothing, lists are joined. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/**
 * The tagged template. Values are escaped for element text and for attribute values in double quotes, and may stand
 * nowhere else: not in a tag or attribute name, not in a script or style, and in a URL attribute only after a check of
 * the scheme.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return trusted(strings.reduce((text, part, index) => text + markupOf(values[index - 1]) + part));
}

/** Takes a text as markup without escaping: for constants of this program and nothing else. */
export function trusted(markup: string): Html {
  return { [MARKUP]: markup };
}

/** The text to send. */
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
