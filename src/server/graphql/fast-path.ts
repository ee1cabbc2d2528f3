// Operations that Apollo Server has seen before. Its pipeline parses, validates and names an operation, and finds out which
// type the answer is to have; for a text and an Accept header that it has answered once, all of that is known. Then the
// operation is executed at once, and a small query takes a third less. Whatever the executor cannot do by itself, errors
// above all, goes through the pipeline as ever, with the answers of the fields at the top that are there already.

import {
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type FormattedExecutionResult,
  type OperationDefinitionNode,
} from 'graphql';
import type { FastifyRequest } from 'fastify';
import type { OperationContext } from '../../access/caller.ts';
import type { Executor } from '../../graphql/executor.ts';
import { ERRORS } from '../../values/errors.ts';
import { formatGraphQLError } from './errors.ts';
import { createKeptDocuments } from '../../graphql/document-cache.ts';
import { isTooLarge, tooLargeError } from '../../graphql/measured-fields.ts';
import { chargeAnswer, chargeOperation, chargeReading, type WeighOperation } from '../../graphql/operation-weight.ts';
import { refusalOfKey } from '../../graphql/idempotency-rule.ts';

interface Valid {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/** An answer without errors: the type and the text of its body. */
interface Answer {
  readonly type: string;
  readonly body: string;
}

export interface KnownOperations {
  /** Remembers what came through the pipeline: a text that is valid, and the operation that is meant. */
  learn(text: string, valid: Valid): void;
  /** Remembers the type of an answer to an Accept header in its plain form, of which there are few (see accept.ts). */
  learnType(accept: string | undefined, type: string): void;
  /** Executes a request of which all is known; null where the pipeline is to answer it. */
  answer(request: FastifyRequest, context: OperationContext): Promise<Answer | null>;
}

/** Makes the memory of one server. `nameOf` is how the API log names an operation. */
export function createKnownOperations(
  tryExecute: Executor['tryExecute'],
  weigh: WeighOperation,
  nameOf: (operation: OperationDefinitionNode) => string,
): KnownOperations {
  const texts = createKeptDocuments<Valid>();
  const types = new Map<string, string>();

  function knownOf({ method, body, headers }: FastifyRequest) {
    const type = method === 'POST' ? types.get(headers.accept ?? '') : undefined;
    const asked = type === undefined ? null : plainRequestOf(body);
    const valid = asked && texts.get(asked.query);
    if (!asked || !valid || type === undefined) return null;
    const { name } = valid.operation;
    return asked.operationName === null || asked.operationName === name?.value ? { ...valid, ...asked, type } : null;
  }

  return {
    learn(text, { document, operation }) {
      if (!texts.get(text) && isAlone(document, operation)) texts.keep(text, document, { document, operation });
    },
    learnType(accept = '', type) {
      if (!types.has(accept)) types.set(accept, type);
    },
    async answer(request, context) {
      const known = knownOf(request);
      if (!known) return null;
      const { document, operation, variables, type } = known;
      if (context.idempotencyKey !== null && refusalOfKey(document, operation) !== null) return null;
      if (context.call) context.call.operation = nameOf(operation);
      await chargeReading(context, document);
      await chargeOperation(context, weigh(document, operation, variables));
      const result = await tryExecute({ document, operation, variables, context });
      await chargeAnswer(context);
      const answer = result ?? (isTooLarge(context) ? tooLargeAnswer(context) : null);
      return answer && { type, body: `${JSON.stringify(answer)}\n` };
    },
  };
}

/** The one answer of a query whose answer would be too large. */
export function tooLargeAnswer({ requestId, call }: OperationContext): FormattedExecutionResult {
  const error = formatGraphQLError(tooLargeError(), requestId);
  if (call) call.errorCode = ERRORS.VALIDATION.code;
  return { errors: [error], data: null };
}

/** Whether an operation is the only one of its document, and is to be answered once. */
function isAlone({ definitions }: DocumentNode, { operation }: OperationDefinitionNode): boolean {
  const operations = definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  return operations.length === 1 && operation !== OperationTypeNode.SUBSCRIPTION;
}

/** A body of the three plain fields; null where there is anything else to it. */
function plainRequestOf(body: unknown) {
  if (typeof body !== 'object' || body === null) return null;
  const { query, variables = null, operationName = null, ...more } = body as Record<string, unknown>;
  if (typeof query !== 'string' || (operationName !== null && typeof operationName !== 'string')) return null;
  if (typeof variables !== 'object' || Array.isArray(variables)) return null;
  for (const _ in more) return null;
  return { query, operationName, variables: (variables ?? {}) as Record<string, unknown> };
}
