// A lint rule for the width of comments, because prettier does not wrap them.

/** The columns of prettier's `printWidth`. */
const MAX_COLUMNS = 120;

/** A line that is only a comment: the part before its text, and the text. */
const WHOLE_LINE = /^(\s*(?:\/\/|\*(?!\/)) +)(\S.*)$/;
/** A doc comment on one line. */
const ON_ONE_LINE = /^(\s*)\/\*\* +(\S.*\S) +\*\/$/;
/** Text that starts a line of its own: a list item, a tag, a heading. */
const BEGINS_A_LINE = /^([-*#@|]|\d+\. )/;

/**
 * Reports each comment line that is too wide; `--fix` breaks it if the comment has the line to itself. A line of one
 * word, such as a long URL, cannot be broken.
 */
export const commentWidth = {
  meta: {
    type: 'layout',
    fixable: 'whitespace',
    schema: [],
    messages: { wide: 'This comment is {{columns}} columns wide, more than {{max}}.' },
  },
  create(context) {
    const { sourceCode } = context;
    const { lines } = sourceCode;
    return {
      Program() {
        for (const { loc, value } of sourceCode.getAllComments()) {
          // The line is wide because of the code before it, which is exempt.
          if (/^\s*(prettier-ignore|eslint-disable)/.test(value)) continue;
          for (let line = loc.start.line; line <= loc.end.line; line++) {
            const text = lines[line - 1] ?? '';
            if (columnsOf(text) <= MAX_COLUMNS || /^\W*\S+$/.test(text)) continue;
            const broken = breakLine(text, lines[line] ?? '');
            context.report({
              loc: { line, column: MAX_COLUMNS },
              messageId: 'wide',
              data: { columns: String(columnsOf(text)), max: String(MAX_COLUMNS) },
              fix: broken && ((fixer) => replaceLines(fixer, sourceCode, line, broken)),
            });
          }
        }
      },
    };
  },
};

const columnsOf = (text) => [...text].length;

/** The replacement of a wide line, and of the next one if the text continues there; null if it must not be broken. */
function breakLine(text, next) {
  const [, indent, sentence] = ON_ONE_LINE.exec(text) ?? [];
  if (sentence !== undefined)
    return { replaced: 1, lines: [`${indent}/**`, `${indent} * ${sentence}`, `${indent} */`] };
  const [, before, words] = WHOLE_LINE.exec(text) ?? [];
  if (before === undefined || /^(eslint-|@ts-|\|)/.test(words)) return null;
  const place = text.lastIndexOf(' ', MAX_COLUMNS);
  if (place < before.length) return null;
  const rest = text.slice(place + 1);
  const [, nextBefore, nextWords] = WHOLE_LINE.exec(next) ?? [];
  const item = /^(- |\d+\. )/.exec(words)?.[0] ?? '';
  const goesOn = before + ' '.repeat(item.length);
  if (nextBefore === goesOn && !BEGINS_A_LINE.test(nextWords)) {
    return { replaced: 2, lines: [text.slice(0, place), `${goesOn}${rest} ${nextWords}`] };
  }
  return { replaced: 1, lines: [text.slice(0, place), goesOn + rest] };
}

function replaceLines(fixer, sourceCode, line, { replaced, lines }) {
  const last = line + replaced - 1;
  const start = sourceCode.getIndexFromLoc({ line, column: 0 });
  const end = sourceCode.getIndexFromLoc({ line: last, column: sourceCode.lines[last - 1].length });
  return fixer.replaceTextRange([start, end], lines.join('\n'));
}
