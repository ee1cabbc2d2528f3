// Images at URLs of merchants: only images are shown, fetched by the rules of webhooks; anything else counts as
// missing.

import { afterEach, describe, expect, it } from '@jest/globals';
import type { RequestListener } from 'node:http';
import { createImages, MOST_IMAGE_BYTES, type ImagesOptions } from '../../src/egress/images.ts';
import { AUTHORITY, RECEIVER_CERTIFICATE } from '../support/tls.ts';
import { closeReceivers, receive, receiveBytes, receiveTls } from '../dispatch/receivers.fixture.ts';

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(100)]);
const open: { close(): Promise<void> }[] = [];

function images(options: Partial<ImagesOptions> = {}) {
  const made = createImages({ allowPrivate: true, ...options });
  open.push(made);
  return made;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((made) => made.close()));
  await closeReceivers();
});

const sends =
  (body: string | Buffer, head: Record<string, string> = {}, status = 200): RequestListener =>
  (_request, response) =>
    response.writeHead(status, head).end(body);

describe('an image', () => {
  it.each([
    ['image/png', PNG],
    ['image/jpeg', Buffer.from('ffd8ffe000104a46', 'hex')],
    ['image/webp', Buffer.from('RIFF....WEBPVP8 ')],
    ['image/gif', Buffer.from('GIF89a..........')],
  ])('is %s by what it is, whatever its server calls it', async (type, body) => {
    const { url } = await receive(sends(body, { 'content-type': 'text/html' }));
    expect(await images().fetch(`${url}/logo`)).toEqual({ type, body });
  });

  it('is fetched once for all who look at it', async () => {
    const receiver = await receive(sends(PNG));
    const { fetch } = images();
    await Promise.all(Array.from({ length: 20 }, () => fetch(`${receiver.url}/logo.png`)));
    await fetch(`${receiver.url}/logo.png`);
    expect(receiver.requests).toHaveLength(1);
    expect(receiver.requests[0]?.headers).not.toHaveProperty('cookie');
  });

  it('is taken from a server whose certificate holds', async () => {
    const { url } = await receiveTls(RECEIVER_CERTIFICATE, sends(PNG));
    const resolver = async () => ['127.0.0.1'];
    expect((await images({ resolver, ca: AUTHORITY }).fetch(`${url}/`))?.type).toBe('image/png');
    expect(await images({ resolver }).fetch(`${url}/`)).toBeNull();
  });
});

describe('nothing is shown', () => {
  it.each([
    ['a page', '<!doctype html><script>alert(1)</script>'],
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['an SVG that says it is a PNG', '\x89PN<svg onload="alert(1)"/>'],
    ['no bytes', ''],
    ['more than is shown', Buffer.concat([PNG, Buffer.alloc(MOST_IMAGE_BYTES)])],
  ])('of %s', async (_name, body) => {
    const { url } = await receive(sends(body, { 'content-type': 'image/png' }));
    expect(await images().fetch(`${url}/logo.png`)).toBeNull();
  });

  it('of an answer that is not 200, and a redirect is not followed', async () => {
    const target = await receive(sends(PNG));
    const moved = await receive(sends('', { location: `${target.url}/` }, 302));
    expect(await images().fetch(`${moved.url}/`)).toBeNull();
    expect(target.requests).toHaveLength(0);
    expect(await images().fetch(`${(await receive(sends(PNG, {}, 404))).url}/`)).toBeNull();
  });

  it('of a server that hangs up or does not speak HTTP', async () => {
    const { url } = await receiveBytes((socket) => socket.end('SSH-2.0\r\n'));
    expect(await images().fetch(`${url}/`)).toBeNull();
  });

  it.each([
    'http://127.0.0.1:PORT/',
    'https://127.0.0.1:PORT/',
    'http://0x7f.1:PORT/',
    'https://[::ffff:7f00:1]:PORT/',
  ])('of %s where private addresses are not allowed, and nobody is asked', async (url) => {
    const receiver = await receive(sends(PNG));
    const { fetch } = images({ allowPrivate: false });
    expect(await fetch(url.replace('PORT', String(receiver.port)))).toBeNull();
    expect(receiver.connections()).toBe(0);
  });

  it('of a name that leads to a private address, nor over plain http to any', async () => {
    const receiver = await receive(sends(PNG));
    const asked: string[] = [];
    const resolver = async (name: string) => {
      asked.push(name);
      return ['127.0.0.1'];
    };
    const { fetch } = images({ allowPrivate: false, resolver });
    expect(await fetch(`https://logo.example:${receiver.port}/`)).toBeNull();
    expect(await fetch(`http://plain.example:${receiver.port}/`)).toBeNull();
    expect([asked, receiver.connections()]).toEqual([['logo.example'], 0]);
  });
});
