// The certificate that this process serves. Programs that renew certificates replace its files, so these are read again
// from time to time, and no restart is needed.

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createSecureContext, type Server as TlsServer } from 'node:tls';
import type { FastifyBaseLogger } from 'fastify';
import type { Worker } from '../loop.ts';

/** PEM files: the certificate with those of its authorities, and its private key. */
export interface CertificateFiles {
  readonly certPath: string;
  readonly keyPath: string;
}

export interface Certificate {
  /** What is served now. */
  pair(): { readonly cert: Buffer; readonly key: Buffer };
  /** When what is served now ends. */
  end(): Date;
  /**
   * Serves what the files have become; open connections stay. Throws, and serves what it served before, if they cannot
   * be read or do not fit together, as when only one of them was replaced yet.
   */
  follow(server: Server): Worker;
}

function refuseUnfit(pair: { readonly cert: Buffer; readonly key: Buffer }): void {
  try {
    createSecureContext(pair);
  } catch (cause) {
    throw new Error('the certificate and its key do not fit together; the former ones are served on', { cause });
  }
}

/** Reads the files. Throws if one cannot be read. */
export function openCertificate({ certPath, keyPath }: CertificateFiles, log: FastifyBaseLogger): Certificate {
  let pair = { cert: readFileSync(certPath), key: readFileSync(keyPath) };
  const end = () => new X509Certificate(pair.cert).validToDate;

  return {
    pair: () => pair,
    end,
    follow: (server) => ({
      name: 'certificate',
      async processNext() {
        const [cert, key] = await Promise.all([readFile(certPath), readFile(keyPath)]);
        if (cert.equals(pair.cert) && key.equals(pair.key)) return false;
        refuseUnfit({ cert, key });
        (server as unknown as TlsServer).setSecureContext({ cert, key });
        pair = { cert, key };
        log.info(
          { certificateEndsAt: end().toISOString() },
          'the certificate was replaced: new connections meet the new one',
        );
        return false;
      },
    }),
  };
}
