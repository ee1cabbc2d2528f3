// The console in Chromium, signed in as a new merchant, with helpers for its tests.

import { expect } from '@jest/globals';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { until } from '../../support/until.ts';
import { axeFindings, DESKTOP, look, shoot, type Look } from '../browser.fixture.ts';

const PASSWORD = 'three green lamps';
const PHONE = { width: 360, height: 740 };
const NARROWEST = { width: 320, height: 640 };
/** Between a phone and a desktop, where the navigation is beside the page or has just gone above it. */
const TABLETS = [768, 900, 1024] as const;
/** At which axe looks again at what lies over a page: some of it scrolls only there. */
const OVERLAID = [390, 768] as const;

export interface ConsoleLook extends Look {
  readonly password: string;
  readonly email: string;
  button(name: string | RegExp): Locator;
  /** Goes to a page of the navigation, or of the account's menu. */
  go(name: string): Promise<void>;
  /** Enters the password in the dialog that asks for it. */
  showPassword(): Promise<void>;
  /** Confirms the password in the browser's session, but outside the page. */
  confirm(): Promise<void>;
  /** Runs an operation in the browser's session, but outside the page, and returns the data. */
  operate<Data>(query: string, variables?: object): Promise<Data>;
  /**
   * Checks the page as it is: axe finds nothing, nor in its contrast in dark mode, and nothing is cut off at a width of
   * 320 px. Takes a screenshot of a light desktop and of a dark phone; with `SCREENSHOTS=all` the other two as well.
   */
  inspect(name: string): Promise<void>;
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
  const email = `owner-${Math.random().toString(36).slice(2)}@example.com`;
  await page.getByLabel('Company name').fill('Kettle & Co');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  // At first one is signed out, which the browser reports as an error.
  faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes('status of 401')));
  return {
    ...{ ...seen, password: PASSWORD, email },
    button: (name) => page.getByRole('button', { name, exact: true }),
    go: async (name) => {
      if (name === 'Account') await chooseInAccount(page, page.getByRole('link', { name: 'My account' }));
      else
        await page
          .getByRole('navigation', { name: 'Console' })
          .getByRole('link', { name: linkOf(name) })
          .click();
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    },
    showPassword: async () => {
      const question = page.getByRole('alertdialog');
      await question.getByLabel('Your password').fill(PASSWORD);
      await question.getByRole('button').last().click();
      await question.waitFor({ state: 'detached' });
    },
    confirm: async () => {
      await operate(page, 'mutation ($p: String!) { confirmPassword(password: $p) }', { p: PASSWORD });
    },
    operate: (query, variables) => operate(page, query, variables),
    inspect: (name) => inspect(page, name),
  };
}

/** The name of a link of the navigation, which may say how much waits there. */
export const linkOf = (name: string): RegExp => new RegExp(`^${name}( [\\d,]+\\+? (open|failing|waiting))?$`);

/** Opens the menu of the account, and chooses something in it. */
async function chooseInAccount(page: Page, choice: Locator): Promise<void> {
  await page.getByRole('button', { name: /^Your account/ }).click();
  await choice.click();
}

export const signOut = (page: Page): Promise<void> =>
  chooseInAccount(page, page.getByRole('button', { name: 'Sign out', exact: true }));

async function operate<Data>(page: Page, query: string, variables: object = {}): Promise<Data> {
  const headers = { 'content-type': 'application/json', 'turnpike-session': 'cookie' };
  const init = JSON.stringify({ method: 'POST', headers, body: JSON.stringify({ query, variables }) });
  const answer = await page.evaluate<{ data: Data; errors?: unknown }>(
    `fetch('/graphql', ${init}).then((answer) => answer.json())`,
  );
  expect(answer.errors).toBeUndefined();
  return answer.data;
}

/** Checks a page as it is, as `ConsoleLook.inspect` says. */
export async function inspect(page: Page, name: string): Promise<void> {
  const isAll = process.env['SCREENSHOTS'] === 'all';
  const picture = (place: string) => shoot(page, `${name}-${place}`, 'console');
  await untilRevealed(page);
  const found = await axeFindings(page);
  await picture('desktop-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  found.push(...(await cutOff(page)).map((line) => `cut off on a desktop: ${line}`));
  found.push(...(await axeFindings(page, ['color-contrast'])).map((line) => `dark: ${line}`));
  if (isAll) await picture('desktop-dark');
  for (const width of TABLETS) {
    await page.setViewportSize({ width, height: DESKTOP.height });
    found.push(...(await cutOff(page)).map((line) => `cut off at ${String(width)} px: ${line}`));
  }
  if (await page.evaluate<boolean>(IS_OVERLAID))
    for (const width of OVERLAID) {
      await page.setViewportSize({ width, height: PHONE.height });
      await untilRevealed(page);
      found.push(...(await axeFindings(page)).map((line) => `at ${String(width)} px: ${line}`));
    }
  await page.setViewportSize(PHONE);
  await picture('phone-dark');
  await page.setViewportSize(NARROWEST);
  found.push(...(await cutOff(page)).map((line) => `cut off at 320 px: ${line}`));
  await page.emulateMedia({ colorScheme: 'light' });
  if (isAll) {
    await page.setViewportSize(PHONE);
    await picture('phone-light');
  }
  await page.setViewportSize(DESKTOP);
  expect([name, found]).toEqual([name, []]);
}

const IS_OVERLAID = `document.querySelector('[role=dialog], [role=alertdialog], :popover-open') !== null`;

/** Waits until an open dialog is visible. */
export const untilRevealed = (page: Page): Promise<boolean> => until(() => page.evaluate<boolean>(IS_REVEALED));

/**
 * Whether an open dialog is visible: with an on-screen keyboard it is transparent for some frames, or for 0.6 s, until
 * the keyboard is up. React Aria takes a window that becomes lower for a keyboard.
 */
const IS_REVEALED = `[...document.querySelectorAll('[role=dialog], [role=alertdialog]')]
  .every((dialog) => dialog.checkVisibility({ opacityProperty: true }))`;

/**
 * What stays cut off: charts follow the width of their container, and loading parts their answer, some frames later.
 */
export async function cutOff(page: Page): Promise<string[]> {
  const look = () => page.evaluate<string[]>(CUT_OFF);
  await until(async () => (await look()).length === 0, 5_000).catch(() => undefined);
  return look();
}

/** Elements wider than the screen, and controls that are not wholly on it. */
const CUT_OFF = `(() => {
  const width = document.documentElement.clientWidth;
  const found = document.documentElement.scrollWidth > width ? ['the page'] : [];
  for (const part of document.querySelectorAll('button, a, input, select, textarea, code, td, h1, h2, p')) {
    const { left, right, height } = part.getBoundingClientRect();
    const isShown = height > 1 && part.checkVisibility({ visibilityProperty: true }) && !part.closest('.unseen, .skip, pre');
    if (isShown && (right > width + 0.5 || left < -0.5)) found.push(part.outerHTML.slice(0, 200));
  }
  for (const table of document.querySelectorAll('.sheet .table')) {
    const inner = table.parentElement.getBoundingClientRect().right - parseFloat(getComputedStyle(table.parentElement).paddingRight);
    if (table.getBoundingClientRect().right > inner + 1) found.push('a table over the edge of its sheet');
  }
  return found;
})()`;
