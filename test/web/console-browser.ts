// The console in Chromium, signed in as a new merchant.

import type { Browser, BrowserContextOptions } from 'playwright-core';
import { axeFindings, DESKTOP, look, PHONE, shoot, type Look } from './browser.ts';

const PASSWORD = 'three green lamps';

export interface ConsoleLook extends Look {
  readonly password: string;
  /** What axe finds on the page as it stands, one line each. */
  check(): Promise<string[]>;
  /** Pictures of the page as it stands, on a phone and on a desk, in the ignored folder. */
  picture(name: string): Promise<void>;
}

/** Registers a company in the browser and ends up on the overview. */
export async function register(
  browser: Browser,
  { url }: { readonly url: string },
  options: BrowserContextOptions = {},
): Promise<ConsoleLook> {
  const seen = await look(browser, `${url}/console#register`, {
    viewport: DESKTOP,
    reducedMotion: 'reduce',
    ...options,
  });
  const { page, faults } = seen;
  await page.getByLabel('Company name').fill('Kettle & Co');
  await page.getByLabel('E-mail').fill(`owner-${Math.random().toString(36).slice(2)}@example.com`);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  // Signed out is what one is at first, and the browser reports it.
  faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes('status of 401')));
  return {
    ...{ ...seen, password: PASSWORD },
    check: () => axeFindings(page),
    picture: async (name) => {
      for (const [place, size] of [
        ['desk', DESKTOP],
        ['phone', PHONE],
      ] as const) {
        await page.setViewportSize(size);
        await shoot(page, `${name}-${place}`, 'console');
      }
      await page.setViewportSize(DESKTOP);
    },
  };
}
