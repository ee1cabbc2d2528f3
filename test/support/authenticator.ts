// A passkey in software (WebAuthn level 3), as a browser and its authenticator answer together: an ES256 key, with user
// verification, and no attestation.

import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';

type Json = Readonly<Record<string, unknown>>;

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest();

/** The parts of CBOR (RFC 8949) that an authenticator writes: maps, texts, bytes, integers. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  const entries = [...(value as Map<unknown, unknown>)];
  return Buffer.concat([head(5, entries.length), ...entries.flatMap(([key, item]) => [cbor(key), cbor(item)])]);
}

function head(type: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(type << 5) | size]);
  return size < 256 ? Buffer.from([(type << 5) | 24, size]) : Buffer.from([(type << 5) | 25, size >> 8, size & 255]);
}

const FLAGS = { present: 1, verified: 4, hasKey: 64 } as const;

/** How a passkey answers, other than rightly. */
export interface Answering {
  readonly origin?: string;
  readonly rpId?: string;
  readonly isVerified?: boolean;
  /** What its counter shows; one more than before without it. */
  readonly counter?: number;
}

/** Makes a passkey of a site. Its answers are to the options that the gateway sends as `passkey`. */
export function createPasskey({ origin, rpId = new URL(origin).hostname }: { origin: string; rpId?: string }) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32);
  let shown = 0;

  const authDataOf = (flags: number, { rpId: of = rpId, isVerified = true, counter = ++shown }: Answering) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(of), Buffer.from([FLAGS.present | (isVerified ? FLAGS.verified : 0) | flags]), count]);
  };
  const clientDataOf = (type: string, { challenge }: Json, { origin: from = origin }: Answering) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }));
  const answerOf = (response: Json): Json => ({
    ...{ id: base64url(id), rawId: base64url(id), type: 'public-key', clientExtensionResults: {} },
    response,
  });

  function coseKey(): Buffer {
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const [X, Y] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
    return cbor(new Map<number, unknown>([[1, 2], [3, -7], [-1, 1], [-2, X], [-3, Y]])); // prettier-ignore
  }

  return {
    id: base64url(id),
    /** Answers what `startPasskey` asks. */
    create(options: Json, how: Answering = {}): Json {
      const size = Buffer.from([0, id.length]);
      const authData = Buffer.concat([authDataOf(FLAGS.hasKey, how), Buffer.alloc(16), size, id, coseKey()]);
      const attestation = new Map<string, unknown>([['fmt', 'none'], ['attStmt', new Map()], ['authData', authData]]); // prettier-ignore
      return answerOf({
        clientDataJSON: base64url(clientDataOf('webauthn.create', options, how)),
        attestationObject: base64url(cbor(attestation)),
        transports: ['internal'],
      });
    },
    /** Answers what a challenge for a sign-in or a confirmation asks. */
    sign(options: Json, how: Answering = {}): Json {
      const clientData = clientDataOf('webauthn.get', options, how);
      const authData = authDataOf(0, how);
      const signature = createSign('sha256')
        .update(Buffer.concat([authData, sha256(clientData)]))
        .sign(privateKey);
      return answerOf({
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(authData),
        signature: base64url(signature),
      });
    },
  };
}

export type SoftwarePasskey = ReturnType<typeof createPasskey>;
