// `npm run release-notes -- VERSION`: prints the section of a version in CHANGELOG.md, for the message of its tag or
// the page of its release. It fails where the version cannot be released: no section, no day, or another version in
// package.json. It needs no build.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const USAGE = 'Usage: npm run release-notes -- VERSION   (as in package.json, such as 0.2.0)';
const SECTION = /^## \[([^\]]+)\](?: - (\S+))?\s*$/;

/** The notes of a version: its title, and the body of its section. Throws if something has to be fixed first. */
export function releaseNotes(changelog: string, version: string, packageVersion: string): string {
  const lines = changelog.split('\n');
  const heads = lines.flatMap((line, at) => {
    const match = SECTION.exec(line);
    return match ? [{ at, version: match[1], day: match[2] }] : [];
  });
  const head = heads.find((section) => section.version === version);
  if (!head) throw new Error(`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD"`);
  if (!isDay(head.day))
    throw new Error(`The section of ${version} in CHANGELOG.md has no day: "## [${version}] - YYYY-MM-DD"`);
  if (packageVersion !== version) throw new Error(`package.json has version ${packageVersion}, not ${version}`);
  const next = heads.find((section) => section.at > head.at)?.at ?? lines.length;
  const body = lines
    .slice(head.at + 1, next)
    .filter((line) => !/^\[[^\]]+\]: /.test(line)) // link targets of the whole file
    .join('\n')
    .trim();
  if (body === '') throw new Error(`The section of ${version} in CHANGELOG.md is empty`);
  return `Turnpike ${version} (${head.day})\n\n${body}\n`;
}

/** Whether the repository's owner has filled in the security contact in SECURITY.md. */
export function hasContact(securityPolicy: string): boolean {
  const [, contact = ''] = /^\*\*Security contact:\*\* (.+)$/m.exec(securityPolicy) ?? [];
  return /\S@\S|https:\/\/\S/.test(contact);
}

/** Whether a text is a calendar day, written as `2026-11-25`. */
function isDay(text: string | undefined): boolean {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

if (import.meta.main) {
  const [version, ...more] = process.argv.slice(2);
  const read = (name: string) => readFileSync(join(process.cwd(), name), 'utf8');
  try {
    if (version === undefined || more.length > 0) throw new Error(USAGE);
    const manifest = JSON.parse(read('package.json')) as { version: string };
    process.stdout.write(releaseNotes(read('CHANGELOG.md'), version, manifest.version));
    if (!hasContact(read('SECURITY.md'))) console.error('Warning: SECURITY.md names no security contact yet');
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
