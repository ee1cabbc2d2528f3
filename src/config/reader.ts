// Typed readers of environment variables that collect all faults instead of throwing at the first.

import { withoutTrailing } from '../values/formats/text.ts';
import { readSecretFiles, type Source } from './secret-files.ts';

export type { Source };
export type Reader = ReturnType<typeof createReader>;

/** Creates the readers; `faults` gets one line for each variable that is bad or missing. */
export function createReader(source: Source) {
  const { faults, fault, optional } = openSource(source);

  return {
    faults,
    fault,
    optional,
    text: (name: string, fallback: string) => optional(name) ?? fallback,
    list: (name: string) => splitList(optional(name) ?? ''),
    integer(name: string, fallback: number, min: number, max: number): number {
      const text = optional(name);
      if (text === null) return fallback;
      const value = Number(text);
      if (/^\d+$/.test(text) && value >= min && value <= max) return value;
      fault(name, `must be a whole number from ${min} to ${max}, not "${text}"`);
      return fallback;
    },
    boolean(name: string, fallback: boolean): boolean {
      const text = optional(name);
      if (text === null) return fallback;
      if (text === 'true' || text === 'false') return text === 'true';
      fault(name, `must be true or false, not "${text}"`);
      return fallback;
    },
    oneOf<const Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice {
      const text = optional(name) ?? fallback;
      const choice = choices.find((candidate) => candidate === text);
      if (choice === undefined) fault(name, `must be one of ${choices.join(', ')}, not "${text}"`);
      return choice ?? fallback;
    },
    url(name: string, fallback: string): string {
      const text = optional(name);
      if (text === null) return fallback;
      if (isHttpUrl(text)) return withoutTrailing(text, '/');
      fault(name, `must be an absolute http or https URL, not "${text}"`);
      return fallback;
    },
    ...databaseReaders(optional, fault),
    redisUrl(name: string): string | null {
      const text = optional(name);
      // The value may contain a password, so it is not repeated.
      if (text !== null && !(URL.canParse(text) && /^rediss?:\/\/./.test(text)))
        fault(name, 'must be a redis:// or rediss:// URL');
      return text;
    },
    secret(name: string, required: boolean): string | null {
      const text = optional(name);
      if (text === null && required) fault(name, 'is required in live: at least 32 random characters');
      if (text !== null && text.length < 32) fault(name, 'must have at least 32 characters');
      return text;
    },
  };
}

/** Readers of URLs of databases. They may contain passwords, so they are not repeated. */
function databaseReaders(optional: (name: string) => string | null, fault: (name: string, message: string) => void) {
  const isDatabaseUrl = (text: string): boolean => /^postgres(ql)?:\/\/./.test(text);
  return {
    databaseUrl(name: string, required: boolean): string | null {
      const text = optional(name);
      if (text === null && required) fault(name, 'is required in live: a postgresql:// URL');
      if (text !== null && !isDatabaseUrl(text)) fault(name, 'must be a postgresql:// URL');
      return text;
    },
    databaseUrls(name: string): readonly string[] {
      const urls = splitList(optional(name) ?? '');
      if (!urls.every(isDatabaseUrl)) fault(name, 'must be postgresql:// URLs, comma-separated');
      else if (new Set(urls).size < urls.length) fault(name, 'must not have the same URL twice');
      return urls;
    },
  };
}

/** The variables, with the secrets that files contain, and the faults that are found in them. */
function openSource(source: Source) {
  const faults: string[] = [];
  const inBadFiles = new Set<string>();
  // A secret whose file is bad is not missing besides.
  const fault = (name: string, message: string) => void (inBadFiles.has(name) || faults.push(`${name}: ${message}`));
  const secrets = readSecretFiles(source, (secret, message) => {
    fault(`${secret}_FILE`, message);
    inBadFiles.add(secret);
  });
  const optional = (name: string): string | null => (secrets.get(name) ?? source[name])?.trim() || null;
  return { faults, fault, optional };
}

export function isHttpUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
}

function splitList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.filter(Boolean);
}
