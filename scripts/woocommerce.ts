// The texts and the zip of the plugin for WooCommerce.
// `node scripts/woocommerce.ts texts`: the template from the sources, and each language's .mo from its .po, with
// Debian's gettext. `node scripts/woocommerce.ts zip [FILE]`: what a shop installs.

import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';

const PLUGIN = join(import.meta.dirname, '..', 'plugins', 'woocommerce');
/** The plugin's folder in a shop, and its text domain. */
const NAME = 'turnpike-for-woocommerce';

const isRun = process.argv[1] === import.meta.filename;
if (isRun) main(process.argv[2], process.argv[3]);

function main(command: string | undefined, file = join('dist', `${NAME}.zip`)): void {
  if (command === 'texts') return writeTexts(PLUGIN);
  if (command !== 'zip') throw new Error('usage: woocommerce.ts texts | zip [FILE]');
  mkdirSync(dirname(file), { recursive: true });
  const bytes = zipOf(PLUGIN);
  writeFileSync(file, bytes);
  console.log(JSON.stringify({ file, files: filesOf(PLUGIN).length }));
}

/** What a shop gets, sorted: everything but the notes for developers. */
function filesOf(plugin: string): string[] {
  return globSync('**/*.{php,js,txt,mo,po,pot}', { cwd: plugin }).sort();
}

/**
 * Writes template and compiled texts below `languages/`. Errors: what gettext says, if it is not installed or refuses.
 */
export function writeTexts(plugin: string): void {
  const sources = globSync('**/*.php', { cwd: plugin }).sort();
  const options = ['-L', 'PHP', '--from-code=UTF-8', '-k__', '-kesc_html__', '--no-wrap', '--add-comments=translators'];
  const template = execFileSync('xgettext', [...options, '--no-location', '-o', '-', ...sources], {
    cwd: plugin,
    encoding: 'utf8',
  });
  // The head has the day and places to fill in: without them the file follows from the sources alone.
  const head =
    'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n';
  const languages = join(plugin, 'languages');
  writeFileSync(join(languages, `${NAME}.pot`), head + template.slice(template.indexOf('\n\n')));
  for (const po of globSync('*.po', { cwd: languages }))
    execFileSync('msgfmt', ['--check-format', '-o', po.replace(/po$/, 'mo'), po], { cwd: languages });
}

/** A zip without compression and without times, so that the same sources make the same bytes. */
export function zipOf(plugin: string): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const path of filesOf(plugin)) {
    const content = readFileSync(join(plugin, path));
    const name = Buffer.from(`${NAME}/${path}`);
    const shared = headOf(content, name);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), shared, name, content]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(0o100644 * 65536, 6); // the rights of the file
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), shared, tail, name]));
    parts.push(local);
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, list, end]);
}

/** What a file's own head and its row of the directory have in common; the day is the first that the form knows. */
function headOf(content: Buffer, name: Buffer): Buffer {
  const head = Buffer.alloc(26);
  head.writeUInt16LE(20, 0); // the version of the form
  head.writeUInt16LE(0x0800, 2); // names are UTF-8
  head.writeUInt16LE(0x0021, 8); // 1980-01-01
  head.writeUInt32LE(crc32(content), 10);
  head.writeUInt32LE(content.length, 14);
  head.writeUInt32LE(content.length, 18);
  head.writeUInt16LE(name.length, 22);
  return head;
}
