// Payment links in the console, against a whole gateway: made by hand, given to customers, changed, disabled.
// Without Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { Browser, Download } from 'playwright-core';
import { encode } from 'uqr';
import { QR_OPTIONS, qrPath } from '../../../src/values/formats/qr-path.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { executablePath, launch } from '../browser.fixture.ts';
import { register, type ConsoleLook } from './browser.fixture.ts';

let gateway: TestGateway;
let browser: Browser;
let look: ConsoleLook;

if (executablePath !== undefined)
  describe('payment links in the console', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      browser = await launch();
      look = await register(browser, gateway, { permissions: ['clipboard-read', 'clipboard-write'] });
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('there are none at first, and what is wrong with a new one is told beside its field', faults);
    it('one with a price is made; its URL is copied, its QR code shown and saved', made);
    it('what comes by it is counted as it happens, up to the most, and listed', used);
    it('one without a price has bounds, and a button with a field for the amount', open);
    it('a change sends what was changed, and nothing else', changed);
    it('one is disabled after a question, by keyboard, and enabled again', switched);
    it('the audit log says in words who canceled, accepted, made and changed what', audited);
    it('nothing went wrong in the browser, and no other host was asked', () => expect(look.faults).toEqual([]));
  });

const button = (name: string) => look.button(name);
const summary = () => look.page.getByRole('region', { name: 'Summary' });
const row = (name: string) => look.page.getByRole('table', { name: 'Payment links' }).getByRole('row', { name });
const idOfPage = () => look.page.url().split('/').at(-1) ?? '';
const faultAt = (label: string) => look.page.locator('.field').filter({ hasText: label }).locator('.fault');

async function openNew(): Promise<void> {
  await look.go('Payment links');
  await look.page.getByRole('link', { name: 'New payment link' }).click();
  await look.page.getByLabel('Name', { exact: true }).first().waitFor();
}

const fill = (label: string, text: string) => look.page.getByLabel(label, { exact: true }).first().fill(text);

async function faults(): Promise<void> {
  const { page } = look;
  await look.go('Payment links');
  await page.getByText('No payment links yet.').waitFor();
  await look.inspect('payment-links-none');
  await openNew();
  await fill('Name', 'Shop window');
  await fill('Price', '20.001');
  await fill('Currency', 'USD');
  await fill('Metadata', 'shelf 12');
  await button('Create payment link').click();
  await faultAt('Metadata').getByText('Entry 1 needs a name, = and a value').waitFor();
  await fill('Metadata', 'shelf = 12');
  await fill('Maximum uses', '0');
  await button('Create payment link').click();
  await faultAt('Maximum uses').waitFor();
  await fill('Maximum uses', '1');
  await button('Create payment link').click();
  await faultAt('Price').waitFor();
  await look.inspect('new-payment-link-faults');
}

async function made(): Promise<void> {
  const { page } = look;
  await fill('Price', '20');
  await fill('Currency', 'usd');
  await fill('Description', 'Two tins of Assam');
  await page.getByLabel('E-mail address').selectOption('REQUIRED');
  await page.getByLabel('Note').selectOption('OPTIONAL');
  await button('Create payment link').click();
  await summary().getByText('20.00 USD').waitFor();
  await summary().getByText('0 of 1').waitFor();
  await summary().getByRole('status').getByText('Open', { exact: true }).waitFor();
  await button('Copy the link').click();
  await page.getByText('Copied the link').waitFor();
  const url = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(url).toBe(`${gateway.url}/pay/${idOfPage()}`);
  await button('Copy the button’s HTML').click();
  await page.getByText('Copied the button’s HTML').waitFor();
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(
    `<form action="${url}"><button>Pay</button></form>`,
  );
  await expectQrCode(url);
  await look.inspect('payment-link');
}

/** The picture says the URL, and is saved as it is shown. */
async function expectQrCode(url: string): Promise<void> {
  const { data, size } = encode(url, QR_OPTIONS);
  const drawn = look.page.getByRole('img', { name: 'QR code of the link' }).locator('path').last();
  expect(await drawn.getAttribute('d')).toBe(qrPath(data));
  const save = async (name: string): Promise<[Download, Buffer]> => {
    const [file] = await Promise.all([look.page.waitForEvent('download'), button(name).click()]);
    return [file, await readFile(await file.path())];
  };
  const [svg, drawing] = await save('Save as SVG');
  expect(svg.suggestedFilename()).toBe('qr-code-Shop-window.svg');
  expect(drawing.toString()).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  expect(drawing.toString()).toContain(qrPath(data));
  const [png, picture] = await save('Save as PNG');
  expect(png.suggestedFilename()).toBe('qr-code-Shop-window.png');
  // The signature, and the width in the first chunk.
  expect(picture.subarray(1, 4).toString()).toBe('PNG');
  expect(picture.readUInt32BE(16)).toBe(size * 20);
}

/** Submits a link in a customer's place; returns the invoice. */
async function submit(linkId: string): Promise<string> {
  const input = { linkId, email: 'ann@customer.example' };
  const query = 'mutation ($input: SubmitLinkInput!) { submitPaymentLink(input: $input) { id } }';
  return (await look.operate<{ submitPaymentLink: { id: string } }>(query, { input })).submitPaymentLink.id;
}

/** Chooses a coin for an invoice, and pays it in full. */
async function choose(invoiceId: string): Promise<string> {
  const input = { invoiceId, currency: 'USDT', network: 'ETH' };
  await look.operate('mutation ($input: ChooseAssetInput!) { chooseAsset(input: $input) { id } }', { input });
  const query = 'query ($id: ID!) { invoice(id: $id) { payments { id } } }';
  const { invoice } = await look.operate<{ invoice: { payments: [{ id: string }] } }>(query, { id: invoiceId });
  return invoice.payments[0].id;
}

const pay = (paymentId: string) =>
  look.operate('mutation ($input: SimulateDepositInput!) { simulateDeposit(input: $input) { status } }', {
    input: { paymentId },
  });

async function used(): Promise<void> {
  const { page } = look;
  const id = idOfPage();
  await pay(await choose(await submit(id)));
  await summary().getByText('1 of 1').waitFor();
  await summary().getByRole('status').getByText('Used up').waitFor();
  await page.getByRole('link', { name: 'Its invoices' }).click();
  await page.getByRole('heading', { name: 'Invoices of a payment link' }).waitFor();
  await page.getByRole('link', { name: 'Two tins of Assam' }).click();
  await page.getByRole('link', { name: `…${id.slice(-8)}` }).click();
  await summary().getByText('Used up').waitFor();
}

async function open(): Promise<void> {
  const { page } = look;
  await openNew();
  await fill('Name', 'Donations');
  await page.getByLabel('Who sets the price').selectOption('open');
  await fill('Currency', 'EUR');
  await fill('At least', '5');
  await fill('At most', '4');
  await button('Create payment link').click();
  await faultAt('At most').waitFor();
  await fill('At most', '100');
  await button('Create payment link').click();
  await summary().getByText('Open, 5.00 to 100.00 EUR').waitFor();
  await page.getByText('With a field for the amount').click();
  await look.inspect('payment-link-open');
  await button('Copy the button’s HTML').click();
  const code = await page.evaluate<string>('navigator.clipboard.readText()');
  const shop = await page.context().newPage();
  await shop.setContent(code);
  await shop.getByLabel('Amount in EUR').fill('12.50');
  await shop.getByRole('button', { name: 'Pay' }).click();
  await shop.waitForURL(`${gateway.url}/pay/${idOfPage()}?amount=12.50`);
  expect(await shop.locator('input[name=amount]').inputValue()).toBe('12.50');
  await shop.close();
}

async function changed(): Promise<void> {
  const { page } = look;
  await page.getByRole('link', { name: 'Change', exact: true }).click();
  await button('Save').waitFor();
  expect(await page.locator('[name=amount], [name=currency]').count()).toBe(0);
  await page.getByRole('group', { name: 'Coins to pay in' }).waitFor();
  await look.inspect('payment-link-change');
  await fill('Name', 'Donations 2027');
  await fill('At most', '');
  await fill('Ends', '2031-02-03T04:05');
  await fill('Metadata', 'campaign = spring\nshelf = a=b');
  await button('Save').click();
  await summary().getByText('Open, from 5.00 EUR').waitFor();
  await page.getByText('a=b').waitFor();
  const [{ details } = { details: null }] = await gateway.sql<{ details: unknown }>(
    `select details from audit_log where action = 'PAYMENT_LINK_CHANGED' and target = $1`,
    [idOfPage()],
  );
  const endsAt = await page.evaluate<string>(`new Date('2031-02-03T04:05').toISOString()`);
  const metadata = { campaign: 'spring', shelf: 'a=b' };
  expect(details).toEqual({ name: 'Donations 2027', maxAmount: null, endsAt, metadata });
}

async function switched(): Promise<void> {
  const { page } = look;
  await look.go('Payment links');
  await row('Donations 2027').getByText('Open', { exact: true }).waitFor();
  await row('Shop window').getByText('Used up').waitFor();
  await look.inspect('payment-links');
  await button('Disable Donations 2027').press('Enter');
  const question = page.getByRole('alertdialog');
  await question.getByText('will say that it is closed').waitFor();
  await look.inspect('payment-link-disable');
  await question.getByRole('button', { name: 'Disable it' }).press('Enter');
  await row('Donations 2027').getByText('Disabled').waitFor();
  await button('Enable Donations 2027').press('Enter');
  await row('Donations 2027').getByText('Open', { exact: true }).waitFor();
}

const CREATE = 'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id } }';

async function createInvoice(): Promise<string> {
  const input = { amount: '49.90', currency: 'EUR', customerEmail: 'ann@customer.example' };
  return (await look.operate<{ createInvoice: { id: string } }>(CREATE, { input })).createInvoice.id;
}

/** An invoice that ended, whose full value came after that and waits to be accepted. */
async function paidLate(): Promise<string> {
  await look.operate('mutation { updateSettings(input: { latePaymentPolicy: MANUAL }) { companyName } }');
  const id = await createInvoice();
  const payment = await choose(id);
  const isNow = (field: string, wanted: string) =>
    until(async () => {
      const { invoice } = await look.operate<{ invoice: Record<string, string> }>(
        `query ($id: ID!) { invoice(id: $id) { ${field} } }`,
        { id },
      );
      return invoice[field] === wanted;
    });
  await look.operate('mutation ($id: ID!) { expireInvoice(id: $id) { id } }', { id });
  await isNow('status', 'EXPIRED');
  await pay(payment);
  await isNow('amountConfirmed', '49.9');
  return id;
}

async function audited(): Promise<void> {
  const { page } = look;
  const [canceled, accepted] = [await createInvoice(), await paidLate()];
  await look.operate('mutation ($id: ID!) { cancelInvoice(id: $id) { id } }', { id: canceled });
  await look.operate('mutation ($id: ID!) { acceptInvoice(id: $id) { id } }', { id: accepted });
  await look.go('Settings');
  const log = page.getByRole('table', { name: 'Changes' });
  for (const words of [`Invoice canceled ${canceled}`, `Invoice accepted ${accepted}`])
    await log.getByRole('row', { name: words }).waitFor();
  for (const words of ['Payment link created lnk_', 'Payment link changed lnk_'])
    await log.getByRole('row', { name: words }).first().waitFor();
  expect(await log.innerText()).not.toContain('ann@');
}
