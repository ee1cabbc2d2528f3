// Checks that the payment page shows what a customer needs to pay: complete and exact, fitting a narrow phone, with a
// QR code that a camera reads.

import { expect } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import decodeQR from 'qr/decode.js';
import { graphql } from '../../support/clients.ts';
import type { TestGateway } from '../../support/gateway/gateway.ts';
import { axeFindings, launch, look, shoot } from '../browser.fixture.ts';

interface Payable {
  /** The payment's id. */
  readonly id: string;
  /** As the page names it. */
  readonly network: string;
  /** The network that the customer chooses in their wallet, for currencies on several networks. */
  readonly choice: string | null;
}

const WIDTH = 320;

/** Opens the page of a waiting payment at 320 px, and compares it with the API's answer. */
export async function expectPayable(
  browser: Browser,
  gateway: Pick<TestGateway, 'url'>,
  { id, network, choice }: Payable,
): Promise<void> {
  const document = 'query ($id: ID!) { checkout(id: $id) { address amount: amountDue currency paymentUri } }';
  const { body } = await graphql(gateway)(document, { id });
  const { address, amount, currency, paymentUri } = body.data.checkout as Record<string, string>;
  const { page, faults, close } = await look(browser, `${gateway.url}/pay/${id}`, {
    ...{ viewport: { width: WIDTH, height: 640 }, deviceScaleFactor: 2 },
  });
  expect(await page.locator('h1').innerText()).toMatch(
    new RegExp(
      `^Send exactly\\s+${amount?.replace('.', '\\.')} ${currency}\\s+on ${network.replace(/[()]/g, '\\$&')}$`,
    ),
  );
  expect(await page.locator('#address').innerText()).toBe(address);
  expect(await page.locator('#sum').innerText()).toBe(amount);
  for (const part of ['h1 .amount', '#address', '#sum', '.qr:visible']) await expectWithin(page.locator(part));
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(WIDTH);
  const shown = () => scan(page.locator('.qr:visible'));
  expect(await shown()).toBe(/\/transfer\?/.test(paymentUri ?? '') ? address : paymentUri);
  for (const label of paymentUri === address ? [] : ['Address only', 'With amount']) {
    await page.getByText(label, { exact: true }).click();
    expect(await shown()).toBe(label === 'Address only' ? address : paymentUri);
  }
  const links = page.locator('.wallets > .button');
  // There is no link that wallets would not take.
  if (paymentUri === address) expect(await links.count()).toBe(0);
  else expect(await links.getAttribute('href')).toBe(paymentUri);
  await page.locator('.warning summary').click();
  const warning = await page.locator('.warning').innerText();
  expect(warning).toContain(`Only ${currency}, only on ${choice ?? network}`);
  expect(warning).toContain(`Send only ${currency}, and only on ${network}.`);
  if (choice === null) expect(warning).not.toContain('several networks');
  else expect(warning).toContain(`${currency} exists on several networks: choose ${choice} in your wallet`);
  expect(await axeFindings(page)).toEqual([]);
  await shoot(page, `payable-${currency}-${network}`.replace(/\W+/g, '-').toLowerCase());
  expect(faults).toEqual([]);
  await close();
}

/** The position of an element of the page. */
interface Box {
  readonly clientWidth: number;
  readonly scrollWidth: number;
  getBoundingClientRect(): { left: number; right: number };
}

/** Nothing of it is outside the screen, or cut off by its container. */
async function expectWithin(part: Locator): Promise<void> {
  const { left, right, cut } = await part.evaluate((element: Box) => {
    const { left, right } = element.getBoundingClientRect();
    return { left, right, cut: element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1 };
  });
  expect([left >= 0, right <= WIDTH, cut]).toEqual([true, true, false]);
}

interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: string;
}

/** What a camera reads of an element as it is drawn. The decoder is not from the authors of the encoder. */
async function scan(code: Locator): Promise<string> {
  const picture = await code.screenshot();
  const blank = await code.page().context().newPage();
  const { width, height, data } = await blank.evaluate<Pixels>(`(async () => {
    const bytes = Uint8Array.from(atob('${picture.toString('base64')}'), (byte) => byte.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes]));
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    const { data } = canvas.getImageData(0, 0, image.width, image.height);
    let text = '';
    for (let at = 0; at < data.length; at += 4) text += String.fromCharCode(data[at]);
    return { width: image.width, height: image.height, data: btoa(text) };
  })()`);
  await blank.close();
  const greys = Buffer.from(data, 'base64');
  const pixels = new Uint8Array(width * height * 4).fill(255);
  greys.forEach((grey, at) => pixels.fill(grey, 4 * at, 4 * at + 3));
  return decodeQR({ width, height, data: pixels });
}

/** The same in a new browser, for tests that need one only for this. */
export async function expectPayableInBrowser(gateway: TestGateway, ...payables: readonly Payable[]): Promise<void> {
  const browser = await launch();
  for (const payable of payables) await expectPayable(browser, gateway, payable);
  await browser.close();
}
