// A way through the pages as one person goes it: each click, tap and key on it is counted, each page on it is checked.
// With PICTURES set to a folder, each step is a picture there, in a folder of the journey's name.

import { expect } from '@jest/globals';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { cutOff, untilRevealed } from '../console/browser.fixture.ts';
import { axeFindings, DESKTOP, look } from '../browser.fixture.ts';

/** Opening a list of choices and taking one from it. */
const CLICKS_OF_A_CHOICE = 2;

/** The steps of a journey in their order, with the most clicks or taps that lead to each from the one before. */
export type Clicks = Readonly<Record<string, number>>;

interface Plan {
  readonly name: string;
  readonly clicks: Clicks;
  /** Where it begins. */
  readonly url: string;
  readonly options?: BrowserContextOptions;
  /** What is put into the browser's storage before, by its key: what somebody has chosen on an earlier day. */
  readonly stored?: Readonly<Record<string, string>>;
  /** Faults that belong to the journey: those who are signed out are answered 401. */
  readonly forgiven?: RegExp;
}

export interface Journey {
  readonly page: Page;
  /** One click, or one tap on a phone. */
  press(target: Locator): Promise<void>;
  /** Fills a field; it is gone to by Tab from another one, or else by a click, and each character is a key. */
  write(field: Locator, text: string): Promise<void>;
  /** Takes an option of a list by its words. */
  choose(list: Locator, words: string): Promise<void>;
  /** One key, or several at once, such as `Control+k`. */
  key(name: string): Promise<void>;
  /** The step of this name is reached. Its page is inspected, unless it is one that was there before. */
  step(name: string, options?: { readonly isNew: boolean }): Promise<void>;
  /** All steps were taken with no more clicks, and neither in the pages nor in the browser anything was wrong. */
  end(): Promise<void>;
}

const isFocused = (field: Locator): Promise<boolean> =>
  field.evaluate((element: { readonly ownerDocument: { readonly activeElement: unknown } }) => {
    return element.ownerDocument.activeElement === element;
  });

/** Opens the page at which a journey begins, on a desktop unless the options say otherwise. */
export async function setOut(browser: Browser, plan: Plan): Promise<Journey> {
  const { name: journey, clicks, url, options, stored = {}, forgiven } = plan;
  const { page, faults, close } = await look(browser, url, { viewport: DESKTOP, reducedMotion: 'reduce', ...options });
  await store(page, stored);
  const isTouched = options?.hasTouch === true;
  const taken: [step: string, clicks: number][] = [];
  const keys = new Map<string, number>();
  const wrong: string[] = [];
  let since = 0;
  /** They were in a field last, from which Tab leads to the next. */
  let isWriting = false;
  const countKeys = (of: string, count: number) => keys.set(of, (keys.get(of) ?? 0) + count);
  const press = async (target: Locator): Promise<void> => {
    await (isTouched ? target.tap() : target.click());
    since += 1;
    isWriting = false;
  };
  const key = async (name: string): Promise<void> => {
    await page.keyboard.press(name);
    countKeys('keys', 1);
  };
  const write = async (field: Locator, text: string): Promise<void> => {
    const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
    if (isWriting && !isDay) await key('Tab');
    if (!(await isFocused(field))) await press(field);
    await field.fill(text);
    countKeys(await nameOf(field), isDay ? text.replaceAll('-', '').length : text.length);
    isWriting = !isTouched;
  };
  const choose = async (list: Locator, words: string): Promise<void> => {
    await list.selectOption(words);
    since += CLICKS_OF_A_CHOICE;
  };
  const step = async (name: string, { isNew } = { isNew: true }): Promise<void> => {
    taken.push([name, since]);
    since = 0;
    if (isNew) wrong.push(...(await inspect(page)).map((line) => `${name}: ${line}`));
    await picture(page, journey, `${String(taken.length).padStart(2, '0')}-${name}`);
  };
  const end = async (): Promise<void> => {
    await close();
    report(journey, taken, keys);
    expect(taken.map(([name]) => name)).toEqual(Object.keys(clicks));
    for (const [name, count] of taken) expect([name, Math.max(count, clicks[name] ?? 0)]).toEqual([name, clicks[name]]);
    expect([...wrong, ...faults.filter((fault) => forgiven?.test(fault) !== true)]).toEqual([]);
  };
  return { page, press, write, choose, key, step, end };
}

async function store(page: Page, stored: Readonly<Record<string, string>>): Promise<void> {
  const entries = Object.entries(stored);
  if (entries.length === 0) return;
  await page.evaluate(`for (const [key, value] of ${JSON.stringify(entries)}) localStorage.setItem(key, value)`);
}

const nameOf = (field: Locator): Promise<string> =>
  field.evaluate(
    (element: {
      readonly labels: ArrayLike<{ readonly textContent: string }>;
      readonly name: string;
      readonly ariaLabel: string | null;
    }) => {
      return element.labels[0]?.textContent ?? element.ariaLabel ?? element.name;
    },
  );

/** What axe finds on the page as it is, in its contrast in dark mode too, and what is cut off at its width. */
async function inspect(page: Page): Promise<string[]> {
  await untilRevealed(page);
  const found = await axeFindings(page);
  found.push(...(await cutOff(page)).map((line) => `cut off: ${line}`));
  await page.emulateMedia({ colorScheme: 'dark' });
  found.push(...(await axeFindings(page, ['color-contrast'])).map((line) => `dark: ${line}`));
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

async function picture(page: Page, journey: string, name: string): Promise<void> {
  const folder = process.env['PICTURES'] ?? '';
  if (folder === '') return;
  mkdirSync(join(folder, journey), { recursive: true });
  await page.screenshot({ path: join(folder, journey, `${name}.png`), fullPage: true, animations: 'disabled' });
}

function report(journey: string, taken: readonly (readonly [string, number])[], keys: ReadonlyMap<string, number>) {
  if ((process.env['PICTURES'] ?? '') === '') return;
  const sum = (counts: Iterable<number>) => [...counts].reduce((all, count) => all + count, 0);
  const list = (counts: Iterable<readonly [string, number]>) => [...counts].map((one) => one.join(' ')).join(', ');
  const clicks = sum(taken.map(([, count]) => count));
  console.log(
    `${journey}: ${taken.length} steps, ${clicks} clicks (${list(taken)}), ${sum(keys.values())} keys (${list(keys)})`,
  );
}
