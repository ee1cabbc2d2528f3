// A server that reads a request and answers 201 with a body as long as a payment's: the upper limit for the load
// generator.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const BODY = JSON.stringify({ success: true, data: { filling: 'x'.repeat(380) } });

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(201, { 'content-type': 'application/json', 'content-length': BODY.length }).end(BODY);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
