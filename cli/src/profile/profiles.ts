// Profiles: a gateway and a key of it, one for the sandbox and one for live.

import { join } from 'node:path';
import { unsafe, usage, Failure, EXIT } from '../failure.ts';
import { configFolder, readPrivate, writePrivate } from './private-files.ts';

/** Whose money: play money, or real one. */
export type ProfileName = 'sandbox' | 'live';

/** What a command needs to call a gateway. */
export interface Profile {
  readonly baseUrl: string;
  /** `pk_test_…` or `pk_live_…`. */
  readonly keyId: string;
  readonly secret: string;
}

/** Where `npm start` of a checkout listens. */
const SANDBOX_URL = 'http://localhost:3000';

/** The file with the profiles. */
export const profilesPath = (): string => join(configFolder(), 'profiles.json');

/** A host name that stays on this machine. Other names below `.localhost` may be resolved elsewhere. */
export const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/** Checks where a key would be sent, and returns it without a trailing slash. */
export function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw usage(`${text} is no http or https URL`);
  if (url.username || url.password) throw unsafe('the URL of the gateway must not hold a user name or password');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw unsafe(`a key is not sent to ${url.host} over plain http: use https`);
  return `${url.origin}${url.pathname}`.replace(/\/$/, '');
}

/** Checks that a key is of the profile's kind: real money is moved only where `--live` says so. */
export function checkKind(name: ProfileName, { keyId, secret }: Pick<Profile, 'keyId' | 'secret'>): void {
  const isLive = /^[ps]k_live_/.test(keyId) || secret.startsWith('sk_live_');
  if (isLive && name !== 'live') throw unsafe('this is a live key: say --live to use it');
  if (!isLive && name === 'live') throw unsafe('--live takes a live key, and this one is of a sandbox');
}

/**
 * The profile of a command. The environment goes before the file, and the two are never mixed: a key that is kept goes
 * only to the gateway that it was kept for.
 */
export async function readProfile(name: ProfileName): Promise<Profile> {
  const profile = fromEnvironment(name) ?? (await readProfiles())[name];
  if (!profile) {
    const login = name === 'live' ? 'turnpike login --live' : 'turnpike login';
    throw new Failure(EXIT.notAllowed, `no key for ${name}: ${login}, or set TURNPIKE_API_KEY and TURNPIKE_API_SECRET`);
  }
  checkKind(name, profile);
  return { ...profile, baseUrl: readBaseUrl(profile.baseUrl) };
}

/** Keeps a profile beside the other. */
export async function keepProfile(name: ProfileName, profile: Profile): Promise<void> {
  await writePrivate(profilesPath(), { ...(await readProfiles()), [name]: profile });
}

/** Forgets a profile; returns whether there was one. */
export async function forgetProfile(name: ProfileName): Promise<boolean> {
  const { [name]: forgotten, ...rest } = await readProfiles();
  if (forgotten) await writePrivate(profilesPath(), rest);
  return forgotten !== undefined;
}

/** The gateway's address that the environment or the option names, or that of the sandbox of a checkout. */
export function baseUrlFor(name: ProfileName, given: string | undefined): string {
  const url = given ?? (process.env['TURNPIKE_BASE_URL'] || (name === 'sandbox' ? SANDBOX_URL : undefined));
  if (url === undefined) throw usage('where is the gateway? Say --base-url, or set TURNPIKE_BASE_URL');
  return readBaseUrl(url);
}

function fromEnvironment(name: ProfileName): Profile | null {
  const { TURNPIKE_API_KEY: keyId, TURNPIKE_API_SECRET: secret } = process.env;
  if (!keyId && !secret) return null;
  if (!keyId || !secret) throw usage('TURNPIKE_API_KEY and TURNPIKE_API_SECRET go together');
  return { baseUrl: baseUrlFor(name, undefined), keyId, secret };
}

async function readProfiles(): Promise<Partial<Record<ProfileName, Profile>>> {
  const kept = (await readPrivate(profilesPath())) as Partial<Record<ProfileName, Profile>> | null;
  for (const [name, one] of Object.entries(kept ?? {}))
    if (![one.baseUrl, one.keyId, one.secret].every((value) => typeof value === 'string'))
      throw usage(`${profilesPath()}: the profile ${name} is not whole: sign in again`);
  return kept ?? {};
}
