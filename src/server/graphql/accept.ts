// Chooses the media type of a GraphQL answer from the Accept header (RFC 9110, section 12.5.1).

import Negotiator from 'negotiator';

export type AnswerType = 'application/json' | 'application/graphql-response+json';

/** The two types as an Accept header can name them. If both are equally wanted, the first is used. */
const OFFERED = ['application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8'];
/** A longer header is ignored, as HTTP allows: no client sends one, and it would be parsed on each call. */
const LONGEST_HEADER = 1_000;

/**
 * The type that a header asks for: by its quality, then by its place in the header; null where it takes neither, or is
 * no Accept header at all.
 */
export function answerTypeOf(accept: string): AnswerType | null {
  if (accept.length > LONGEST_HEADER) return null;
  const preferred = new Negotiator({ headers: { accept } }).mediaType(OFFERED);
  return preferred === undefined ? null : (preferred.slice(0, preferred.indexOf(';')) as AnswerType);
}

/**
 * The header in one of three forms, so that nothing further on reads a caller's text. Undefined where
 * it leaves us no type to answer in. `*` stands for `application/json` that was not asked for by that name, or not by
 * that name alone.
 */
export function plainAccept(accept: string): AnswerType | '*/*' | undefined {
  // Most headers are in the plain form already and need no parsing.
  if (accept === 'application/json' || accept === 'application/graphql-response+json' || accept === '*/*')
    return accept;
  const type = answerTypeOf(accept);
  if (type !== 'application/json') return type ?? undefined;
  const names = accept.split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase());
  const isByName = names.includes('application/json') && !names.includes('application/graphql-response+json');
  return isByName ? type : '*/*';
}
