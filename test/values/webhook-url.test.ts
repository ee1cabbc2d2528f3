// A forbidden webhook URL is rejected when it is configured, however it is spelled.

import { describe, expect, it } from '@jest/globals';
import { checkWebhookUrl } from '../../src/values/internet/webhook-url.ts';

const errorOf = (text: string, allowPrivate = false): string | null => {
  const verdict = checkWebhookUrl(text, { allowPrivate });
  return verdict.ok ? null : verdict.error;
};

describe('a URL that is well formed and public', () => {
  it.each([
    'https://shop.example/hooks?x=1#f',
    'http://shop.example',
    'HTTPS://Shop.Example/',
    'https://shop.example:443/',
    'http://shop.example:80/',
    'https://shop.example:8443/',
    'https://shop.example:1024/',
    'https://does-not-resolve.invalid/',
    'https://bücher.example/',
    'https://1.1.1.1/',
    'https://[2606:4700:4700::1111]/',
    'https://localhost.example/',
    'https://notlocalhost/',
    'https://shop.example/a@b',
  ])('%s is taken as written', (text) => {
    expect(checkWebhookUrl(text, { allowPrivate: false })).toEqual({ ok: true, url: text, href: new URL(text).href });
  });

  it('has one href for its many spellings', () => {
    const hrefs = ['https://shop.example', 'https://SHOP.example:443/', 'https://shop.example/a/..'].map((text) => {
      const verdict = checkWebhookUrl(text, { allowPrivate: false });
      return verdict.ok ? verdict.href : verdict.error;
    });
    expect(new Set(hrefs)).toEqual(new Set(['https://shop.example/']));
  });
});

describe('a text that is no absolute http(s) URL, or carries credentials, is 2001', () => {
  it.each([
    ...[
      '',
      '/hooks',
      'shop.example/hooks',
      '//shop.example/',
      'ftp://shop.example/',
      'file:///etc/passwd',
      'javascript:1',
    ],
    ...[
      'http:shop.example',
      'http:/shop.example',
      'http:///shop.example',
      'http:\\\\shop.example',
      'http://',
      'https://?',
    ],
    ...[
      'https://user@shop.example/',
      'https://user:pass@shop.example/',
      'https://:@shop.example/',
      'https://@shop.example/',
    ],
    ...[
      'http://127.0.0.1\\@shop.example/',
      'http://shop.example\\@127.0.0.1/',
      ' https://shop.example/',
      'https://shop.example/ ',
    ],
    ...[
      'https://shop.example/a b',
      'https://shop\t.example/',
      'ht\ntps://shop.example/',
      'https://shop.example/\r\nX: y',
    ],
    ...[
      'https://shop.example/\0',
      'https://shop.example/\u0085',
      'https://shop.example/\ud800',
      'https://shop.example:99999/',
    ],
    ...['http://256.1.1.1/', 'http://1.2.3.4.5/', 'http://[::1%25lo]/', 'http://[::1', 'http://%00/', 'http://a%40b/'],
    `https://shop.example/${'a'.repeat(2048)}`,
  ])('%j', (text) => {
    expect(errorOf(text)).toBe('VALIDATION');
    expect(errorOf(text, true)).toBe('VALIDATION');
  });
});

describe('an address or name that is not public is 5001, unless private ones are allowed', () => {
  it.each([
    ...[
      'http://127.0.0.1/',
      'http://127.1/',
      'http://0x7f.1/',
      'http://0x7f000001/',
      'http://2130706433/',
      'http://017700000001/',
    ],
    ...[
      'http://0177.0.0.1/',
      'http://127.0.0.1./',
      'http://%31%32%37.0.0.1/',
      'http://１２７.0.0.1/',
      'http://①②⑦.0.0.1/',
    ],
    ...['http://127。0。0。1/', 'http://0/', 'http://0.0.0.0/', 'http://10.0.0.1/', 'http://010.0.0.1.nip.localhost/'],
    ...['http://100.64.0.1/', 'http://169.254.169.254/latest/meta-data/', 'http://0xa9fea9fe/', 'http://172.16.0.1/'],
    ...[
      'http://192.168.0.1/',
      'http://198.18.0.1/',
      'http://203.0.113.5/',
      'http://224.0.0.1/',
      'http://255.255.255.255/',
    ],
    ...[
      'http://[::]/',
      'http://[::1]/',
      'http://[0:0:0:0:0:0:0:1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://[::ffff:7f00:1]/',
    ],
    ...[
      'http://[::127.0.0.1]/',
      'http://[64:ff9b::127.0.0.1]/',
      'http://[64:ff9b:1::a00:1]/',
      'http://[2002:7f00:1::]/',
    ],
    ...[
      'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
      'http://[fe80::1]/',
      'http://[fc00::1]/',
      'http://[fd00:ec2::254]/',
    ],
    ...['http://[fec0::1]/', 'http://[ff02::1]/', 'http://[2001:db8::1]/', 'http://[3fff::1]/', 'http://[5f00::1]/'],
    ...['http://localhost/', 'http://LOCALHOST/', 'http://localhost./', 'http://localhost../', 'http://localhost。/'],
    ...[
      'http://ⓛocalhost/',
      'http://loc\u00adalhost/',
      'http://a.localhost/',
      'http://a.b.localhost./',
      'http://ip6-localhost/',
    ],
    ...['http://localhost.localdomain:8080/', 'https://127.0.0.1:3000/hook', 'http://[::1]:3000/'],
  ])('%s', (text) => {
    expect(errorOf(text)).toBe('WEBHOOK_URL_REFUSED');
    expect(errorOf(text, true)).toBeNull();
  });
});

describe('a port other than 80, 443 and from 1024 up is 5001, even where private addresses are allowed', () => {
  it.each([0, 1, 21, 22, 25, 79, 81, 110, 442, 444, 445, 1023])('%i', (port) => {
    expect(errorOf(`http://shop.example:${String(port)}/`)).toBe('WEBHOOK_URL_REFUSED');
    expect(errorOf(`http://127.0.0.1:${String(port)}/`, true)).toBe('WEBHOOK_URL_REFUSED');
  });
});
