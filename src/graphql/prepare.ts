// From a text to a validated operation: parsed, limited, validated, and kept for the next time.

import {
  getOperationAST,
  GraphQLError,
  Kind,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { OperationContext } from '../access/caller.ts';
import { documentKey, type DocumentCache } from './document-cache.ts';
import { refusalOfDocument } from './document-limits.ts';
import { chargeReading } from './operation-weight.ts';
import { QUERY_LIMIT_RULES, QUERY_LIMITS } from './query-limits.ts';

/** A validated document, and the operation of it that is meant. */
export interface Prepared {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/** What is wrong with a document, each error with the `code` of the GraphQL-over-HTTP convention. */
export interface RefusedDocument {
  readonly errors: readonly GraphQLError[];
}

/** What a client asks to run. */
export interface OperationRequest {
  readonly query: string;
  readonly operationName?: string | null | undefined;
}

/** The `code` of a document that is invalid or exceeds a limit. */
export const VALIDATION_FAILED = 'GRAPHQL_VALIDATION_FAILED';

const NO_OPERATION = 'The document has no operation of this name, or several and no name is given';
const MOST_ERRORS = 20;

interface PrepareDeps {
  readonly schema: GraphQLSchema;
  readonly introspection: boolean;
  readonly documents: DocumentCache;
}

/** The name of an operation in the API log: its own, or its first field's. */
export function nameOf(operation: OperationDefinitionNode): string {
  const [first] = operation.selectionSet.selections;
  return operation.name?.value ?? (first?.kind === Kind.FIELD ? first.name.value : operation.operation);
}

/** Prepares one of our own documents; throws at start if the schema does not fit it. */
export function prepareOwn(schema: GraphQLSchema, document: DocumentNode): Prepared {
  const errors = validate(schema, document);
  const operation = getOperationAST(document);
  if (errors.length > 0 || !operation) throw new Error(errors.map(String).join('; ') || NO_OPERATION);
  return { document, operation };
}

/** Makes the function that prepares callers' documents. It charges reading them, and throws 9001. */
export function createPrepare({ schema, introspection, documents }: PrepareDeps) {
  const rules = [...specifiedRules, ...QUERY_LIMIT_RULES, ...(introspection ? [] : [NoSchemaIntrospectionCustomRule])];

  function faultsOf(document: DocumentNode): readonly GraphQLError[] {
    const refusal = refusalOfDocument(document);
    if (refusal) return [refusal];
    try {
      return validate(schema, document, rules, { maxErrors: MOST_ERRORS });
    } catch (error) {
      // SingleFieldSubscriptionsRule evaluates @skip and @include, and throws if they take a variable.
      if (error instanceof GraphQLError) return [error];
      throw error;
    }
  }

  async function read(query: string, context: OperationContext): Promise<DocumentNode | RefusedDocument> {
    const key = documentKey(query);
    const known = documents.get(key);
    const document = known ?? parseText(query);
    if ('errors' in document) return document;
    // Before validation, which takes longest. A known document costs the same.
    await chargeReading(context, document);
    if (known) return known;
    const errors = faultsOf(document);
    if (errors.length > 0)
      return { errors: errors.map((error) => refused(error, VALIDATION_FAILED, messageOf(error))) };
    documents.keep(key, document);
    return document;
  }

  const messageOf = ({ message }: GraphQLError) => (introspection ? message : withoutSuggestions(message));

  return async (
    { query, operationName = null }: OperationRequest,
    context: OperationContext,
  ): Promise<Prepared | RefusedDocument> => {
    const document = await read(query, context);
    if ('errors' in document) return document;
    const operation = getOperationAST(document, operationName);
    if (!operation) return { errors: [new GraphQLError(NO_OPERATION, { extensions: { code: VALIDATION_FAILED } })] };
    if (context.call) context.call.operation = nameOf(operation);
    return { document, operation };
  };
}

function parseText(text: string): DocumentNode | RefusedDocument {
  try {
    return parse(text, { maxTokens: QUERY_LIMITS.tokens });
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [refused(error, 'GRAPHQL_PARSE_FAILED')] };
    // The parser is recursive: a list nested a thousand times exhausts its stack.
    if (error instanceof RangeError)
      return { errors: [refused(new GraphQLError('The document is nested too deeply'), 'GRAPHQL_PARSE_FAILED')] };
    throw error;
  }
}

/** An error of graphql-js, marked as a refusal before execution. */
function refused(error: GraphQLError, code: string, message = error.message): GraphQLError {
  const { nodes = null, source = null, positions = null } = error;
  return new GraphQLError(message, { nodes, source, positions, extensions: { code } });
}

/** Without introspection, suggestions must not reveal the schema either. */
function withoutSuggestions(message: string): string {
  return message.replace(/ Did you mean .*$/s, '');
}
