// Hostile URLs and DNS answers, and how each is judged: when it is configured, and when it is sent to.

import type { DnsReply, DnsRecord, DnsZone } from './dns-server.fixture.ts';

/** When configured: accepted, not an acceptable URL (2001), or a place we do not send to (5001). */
type Configured = 'taken' | '2001' | '5001';

/** One URL; `{port}` is that of a receiver on loopback, to which nothing may ever connect. */
type UrlRow = readonly [url: string, configured: Configured];

const ZONE_ID = 'http://[fe80::1%25eth0]:{port}/';

/**
 * IP literals in every disguise, repairs that parsers make, and names of the local machine. All are rejected both
 * times.
 */
export const URLS: readonly UrlRow[] = [
  // IPv4 as inet_aton reads it, and in Unicode digits.
  ['http://127.0.0.1:{port}/', '5001'],
  ['http://127.1:{port}/', '5001'],
  ['http://127.0.1:{port}/', '5001'],
  ['http://0x7f.1:{port}/', '5001'],
  ['http://0x7F.0x0.0x0.0x1:{port}/', '5001'],
  ['http://0x7f000001:{port}/', '5001'],
  ['http://2130706433:{port}/', '5001'],
  ['http://017700000001:{port}/', '5001'],
  ['http://0177.0.0.01:{port}/', '5001'],
  ['http://0x000000007f.1:{port}/', '5001'],
  ['http://127.0.0.1.:{port}/', '5001'],
  ['http://%31%32%37.0.0.1:{port}/', '5001'],
  ['http://127%2E0.0.1:{port}/', '5001'],
  ['http://１２７.０.０.１:{port}/', '5001'],
  ['http://①②⑦.0.0.1:{port}/', '5001'],
  ['http://𝟏𝟐𝟕.0.0.1:{port}/', '5001'],
  ['http://127。0。0。1:{port}/', '5001'],
  ['http://127．0．0．1:{port}/', '5001'],
  ['http://127.0.0\u00ad.1:{port}/', '5001'],
  ['http://127.0.0.1\u200b:{port}/', '5001'],
  ['http://0:{port}/', '5001'],
  ['http://0.0.0.0:{port}/', '5001'],
  ['http://127.255.255.254:{port}/', '5001'],
  // Private, shared, link-local, metadata.
  ['http://10.255.255.255:{port}/', '5001'],
  ['http://100.64.0.1:{port}/', '5001'],
  ['http://100.127.255.254:{port}/', '5001'],
  ['http://169.254.169.254/latest/meta-data/', '5001'],
  ['http://169.254.170.2/v2/credentials', '5001'],
  ['http://0xa9fea9fe/', '5001'],
  ['http://168.63.129.16/machine', '5001'],
  ['http://100.100.100.200/latest/meta-data/', '5001'],
  ['http://192.0.0.192/', '5001'],
  ['http://172.31.255.255:{port}/', '5001'],
  ['http://192.168.1.1:{port}/', '5001'],
  ['http://198.19.255.255:{port}/', '5001'],
  ['http://224.0.0.1:{port}/', '5001'],
  ['http://255.255.255.255:{port}/', '5001'],
  // IPv6, and IPv4 inside it.
  ['http://[::1]:{port}/', '5001'],
  ['http://[0000:0000:0000:0000:0000:0000:0000:0001]:{port}/', '5001'],
  ['http://[::]:{port}/', '5001'],
  ['http://[::ffff:127.0.0.1]:{port}/', '5001'],
  ['http://[::ffff:7f00:1]:{port}/', '5001'],
  ['http://[0:0:0:0:0:FFFF:7F00:0001]:{port}/', '5001'],
  ['http://[::ffff:0:127.0.0.1]:{port}/', '5001'],
  ['http://[::127.0.0.1]:{port}/', '5001'],
  ['http://[64:ff9b::127.0.0.1]:{port}/', '5001'],
  ['http://[64:ff9b:1::a9fe:a9fe]:{port}/', '5001'],
  ['http://[2002:7f00:1::1]:{port}/', '5001'],
  ['http://[2002:a9fe:a9fe::]:{port}/', '5001'],
  ['http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]:{port}/', '5001'],
  ['http://[2001:0:7f00:1::]:{port}/', '5001'],
  ['http://[fd00:ec2::254]/latest/meta-data/', '5001'],
  ['http://[fc00::1]:{port}/', '5001'],
  ['http://[fe80::1]:{port}/', '5001'],
  ['http://[fec0::1]:{port}/', '5001'],
  ['http://[ff02::1]:{port}/', '5001'],
  ['http://[100::1]:{port}/', '5001'],
  ['http://[2001:db8::1]:{port}/', '5001'],
  [ZONE_ID, '2001'],
  [ZONE_ID.replace('%25', '%'), '2001'],
  // Names of this machine.
  ['http://localhost:{port}/', '5001'],
  ['http://LocalHost:{port}/', '5001'],
  ['http://localhost.:{port}/', '5001'],
  ['http://localhost...:{port}/', '5001'],
  ['http://ｌｏｃａｌｈｏｓｔ:{port}/', '5001'],
  ['http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:{port}/', '5001'],
  ['http://local\u00adhost:{port}/', '5001'],
  ['http://%6c%6f%63%61%6c%68%6f%73%74:{port}/', '5001'],
  ['http://metadata.localhost:{port}/', '5001'],
  ['http://localhost.localdomain:{port}/', '5001'],
  ['http://ip6-loopback:{port}/', '5001'],
  // Credentials, and hosts that two parsers read differently.
  ['http://shop.test@127.0.0.1:{port}/', '2001'],
  ['http://127.0.0.1:{port}@shop.test/', '2001'],
  ['http://user:secret@shop.test:{port}/', '2001'],
  ['http://@shop.test:{port}/', '2001'],
  ['http://:@shop.test:{port}/', '2001'],
  ['http://shop.test\\@127.0.0.1:{port}/', '2001'],
  ['http://shop.test:80\\@127.0.0.1:{port}/', '2001'],
  ['http:\\\\127.0.0.1:{port}\\', '2001'],
  ['http:/127.0.0.1:{port}/', '2001'],
  ['http:127.0.0.1:{port}/', '2001'],
  ['http:///127.0.0.1:{port}/', '2001'],
  ['//127.0.0.1:{port}/', '2001'],
  ['http://127.0.0.1:{port}#@shop.test/', '5001'],
  ['http://127.0.0.1:{port}?@shop.test/', '5001'],
  ['http://shop.test%00.127.0.0.1:{port}/', '2001'],
  ['http://shop.test%2f@127.0.0.1:{port}/', '2001'],
  ['http://shop.test%40127.0.0.1:{port}/', '2001'],
  ['http://[127.0.0.1]:{port}/', '2001'],
  ['http://[::1:{port}/', '2001'],
  ['http://256.256.256.256:{port}/', '2001'],
  ['http://shop.test:99999/', '2001'],
  ['http://shop.test:-80/', '2001'],
  ['http://shop.test:80:{port}/', '2001'],
  // Characters that the WHATWG parser strips, and some that could end a line of the request.
  [' http://shop.test:{port}/', '2001'],
  ['http://shop.test:{port}/ ', '2001'],
  ['http://127.0.\t0.1:{port}/', '2001'],
  ['ht\ntp://127.0.0.1:{port}/', '2001'],
  ['http://shop.test:{port}/\r\nX-Injected: 1', '2001'],
  ['http://shop.test:{port}/ HTTP/1.1\r\nHost: inside.test\r\n\r\n', '2001'],
  ['http://shop.test:{port}/\u2028', '2001'],
  ['http://shop.test:{port}/\u00a0', '2001'],
  ['http://shop.test:{port}/\u0000', '2001'],
  ['\ufeffhttp://shop.test:{port}/', '2001'],
  [`http://shop.test:{port}/${'a'.repeat(2_048)}`, '2001'],
  [`http://${'a.'.repeat(2_000)}test/`, '2001'],
  // Other schemes, and ports where something else listens.
  ['gopher://127.0.0.1:{port}/_POST', '2001'],
  ['file:///etc/passwd', '2001'],
  ['data:text/plain,x', '2001'],
  ['javascript:alert(1)', '2001'],
  ['ws://shop.test:{port}/', '2001'],
  ['unix:/var/run/docker.sock', '2001'],
  ['http://shop.test:0/', '5001'],
  ['http://shop.test:22/', '5001'],
  ['http://shop.test:25/', '5001'],
  ['http://shop.test:٢٥/', '2001'],
  ['http://shop.test:0025/', '5001'],
  ['https://shop.test:445/', '5001'],
  ['http://shop.test:1023/', '5001'],
];

const v6 = (...groups: number[]): DnsRecord => ({ aaaa: [...groups, ...Array<number>(8 - groups.length).fill(0)] });
const ip = (...addresses: string[]): DnsRecord[] => addresses.map((a) => ({ a }));
const PUBLIC = '93.184.215.14';

interface AnswerRow {
  readonly name: string;
  /** The DNS answers to the A and the AAAA question. */
  readonly a?: DnsReply;
  readonly aaaa?: DnsReply;
  readonly reason: 'refused-address' | 'dns' | 'timeout';
}

const refused = (name: string, a: DnsReply, aaaa: DnsReply = []): AnswerRow => ({
  name,
  a,
  aaaa,
  reason: 'refused-address',
});
const dns = (name: string, a: DnsReply, aaaa: DnsReply = a): AnswerRow => ({ name, a, aaaa, reason: 'dns' });

/** `depth` aliases, and the address behind the last. */
function chain(depth: number, address: string): DnsRecord[] {
  return [...Array.from({ length: depth }, (_, nth) => ({ cname: `alias${nth}.test` })), { a: address }];
}

const LATE: DnsReply = { afterMs: 2_000, records: ip('127.0.0.1') };

/** Answers for a harmless-looking name: its URL is accepted when it is configured. */
export const ANSWERS: readonly AnswerRow[] = [
  refused('loopback', ip('127.0.0.1')),
  refused('this network', ip('0.0.0.0')),
  refused('private, 10/8', ip('10.1.2.3')),
  refused('private, 172.16/12', ip('172.16.0.1')),
  refused('private, 192.168/16', ip('192.168.0.1')),
  refused('carrier-grade NAT', ip('100.64.0.1')),
  refused('cloud metadata', ip('169.254.169.254')),
  refused('multicast', ip('239.1.1.1')),
  refused('broadcast', ip('255.255.255.255')),
  refused('IPv6 loopback', [], [v6(0, 0, 0, 0, 0, 0, 0, 1)]),
  refused('IPv6 unspecified', [], [v6()]),
  refused('IPv4-mapped', [], [v6(0, 0, 0, 0, 0, 0xffff, 0x7f00, 1)]),
  refused('IPv4-compatible', [], [v6(0, 0, 0, 0, 0, 0, 0x7f00, 1)]),
  refused('NAT64', [], [v6(0x64, 0xff9b, 0, 0, 0, 0, 0xa9fe, 0xa9fe)]),
  refused('local NAT64', [], [v6(0x64, 0xff9b, 1, 0, 0, 0, 0xa00, 1)]),
  refused('6to4', [], [v6(0x2002, 0x7f00, 1)]),
  refused('Teredo', [], [v6(0x2001, 0, 0x4136, 0xe378, 0x8000, 0x63bf, 0x3fff, 0xfdd2)]),
  refused('unique local', [], [v6(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)]),
  refused('link-local', [], [v6(0xfe80, 0, 0, 0, 0, 0, 0, 1)]),
  refused('a public answer, then a private one', ip(PUBLIC, '10.0.0.1')),
  refused('a private answer, then a public one', ip('10.0.0.1', PUBLIC)),
  refused('public over IPv4, private over IPv6', ip(PUBLIC), [v6(0xfd00)]),
  refused('private over IPv4, public over IPv6', ip('10.0.0.1'), [v6(0x2606, 0x4700, 0x4700, 0, 0, 0, 0, 0x1111)]),
  refused('one private among six hundred', [...ip(...Array<string>(599).fill(PUBLIC)), ...ip('127.0.0.1')]),
  refused('so many that it needs TCP', { overTcp: [...ip(...Array<string>(2_000).fill(PUBLIC)), ...ip('127.0.0.1')] }),
  refused('an alias of a private name', chain(1, '127.0.0.1')),
  refused('an alias of localhost', [{ cname: 'localhost' }, { a: '127.0.0.1' }]),
  refused('a chain of sixteen aliases', chain(16, '10.0.0.1')),
  refused('a private answer after a while', { afterMs: 150, records: ip('127.0.0.1') }),
  refused('a private answer and no answer for IPv6', ip('127.0.0.1'), 'SILENCE'),
  refused('a private answer and a failure for IPv6', ip('127.0.0.1'), 'SERVFAIL'),
  dns('no such name', 'NXDOMAIN'),
  dns('no address', []),
  dns('a server that fails', 'SERVFAIL'),
  dns('a server that refuses', 'REFUSED'),
  dns('bytes that are no message', 'RUBBISH'),
  dns('an alias of nothing', [{ cname: 'nothing.test' }]),
  dns('an alias of itself', [{ cname: 'hooks.test' }]),
  dns('an IPv4 address of three bytes', [{ type: 'A', data: Buffer.from([127, 0, 1]) }], []),
  dns('an IPv4 address of no bytes', [{ type: 'A', data: Buffer.alloc(0) }], []),
  dns('an IPv6 address of four bytes', [], [{ type: 'AAAA', data: Buffer.from([127, 0, 0, 1]) }]),
  { name: 'no answer within the deadline', a: 'SILENCE', aaaa: 'SILENCE', reason: 'timeout' },
  { name: 'an answer after the deadline', a: LATE, aaaa: LATE, reason: 'timeout' },
];

/** A zone in which every name has these answers. */
export const zoneOf =
  ({ a = [], aaaa = [] }: Pick<AnswerRow, 'a' | 'aaaa'>): DnsZone =>
  (_name, type) =>
    type === 'A' ? a : aaaa;
