// Operations that come by socket: parsed, limited and validated here, because nothing of the HTTP side does it for them.

import {
  getOperationAST,
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  OperationTypeNode,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { OperationContext } from '../access/caller.ts';
import type { GatewayError } from '../values/errors.ts';
import { refusalOfDocument } from './document-limits.ts';
import { nameOf } from '../server/graphql/http.ts';
import { VALIDATION_FAILED } from '../server/graphql/refusals.ts';
import { createKeptDocuments } from './document-cache.ts';
import { chargeReading, createScales } from './operation-weight.ts';
import { fragmentsOf } from './selections.ts';
import { costOf, QUERY_LIMIT_RULES, QUERY_LIMITS } from './query-limits.ts';

export interface SocketOperationDeps {
  readonly schema: GraphQLSchema;
  readonly introspection: boolean;
  /** Executes a query or mutation; never throws. */
  readonly execute: (args: ExecutionArgs) => Promise<ExecutionResult>;
  /** Why an operation is not to be executed with these variables; null where they are right. */
  readonly refuse: (
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
    context: OperationContext,
  ) => GatewayError | null;
}

/** What a client asks to run. */
export interface OperationRequest {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Something graphql-js can run. */
export interface PreparedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName: string | null;
  readonly variableValues: Record<string, unknown>;
  readonly contextValue: OperationContext;
  /** How many calls it counts as. */
  readonly calls: number;
}

const NO_OPERATION = 'The document has no operation of this name, or several and no name is given';

type Read = { readonly document: DocumentNode } | { readonly errors: readonly GraphQLError[] };

/** Makes the function that prepares an operation, and names it for the API log, or answers what is wrong with it. */
export function createSocketOperations({ schema, introspection, refuse }: Omit<SocketOperationDeps, 'execute'>) {
  // Thousands of sockets send the same few documents.
  const kept = createKeptDocuments<DocumentNode>();
  const weigh = createScales(schema);
  const rules = [...specifiedRules, ...QUERY_LIMIT_RULES, ...(introspection ? [] : [NoSchemaIntrospectionCustomRule])];

  function faultsOf(document: DocumentNode): readonly GraphQLError[] {
    const refusal = refusalOfDocument(document);
    if (refusal) return [refusal];
    try {
      return validate(schema, document, rules, { maxErrors: 20 });
    } catch (error) {
      // The rule of one field to a subscription looks for the values of variables in @skip and @include, and throws.
      if (error instanceof GraphQLError) return [error];
      throw error;
    }
  }

  function parseOne(query: string): Read {
    try {
      return { document: parse(query, { maxTokens: QUERY_LIMITS.tokens }) };
    } catch (error) {
      if (error instanceof GraphQLError) return { errors: [refused(error, 'GRAPHQL_PARSE_FAILED')] };
      // The parser calls itself for each level, and a list within a list a thousand times over uses up its stack.
      if (error instanceof RangeError)
        return { errors: [refused(new GraphQLError('The document is nested too deeply'), 'GRAPHQL_PARSE_FAILED')] };
      throw error;
    }
  }

  /** Counted before it is validated, which takes longest; one that is known counts the same. */
  async function read(query: string, context: OperationContext): Promise<Read> {
    const known = kept.get(query);
    const parsed = known ? { document: known } : parseOne(query);
    if ('errors' in parsed) return parsed;
    const { document } = parsed;
    await chargeReading(context, document);
    if (known) return parsed;
    const errors = faultsOf(document);
    if (errors.length > 0)
      return { errors: errors.map((error) => refused(error, VALIDATION_FAILED, messageOf(error))) };
    kept.keep(query, document, document);
    return parsed;
  }

  const messageOf = ({ message }: GraphQLError) => (introspection ? message : unsuggestive(message));

  return async (
    { query, operationName = null, variables }: OperationRequest,
    context: OperationContext,
  ): Promise<PreparedOperation | readonly GraphQLError[]> => {
    const found = await read(query, context);
    if ('errors' in found) return found.errors;
    const { document } = found;
    const operation = getOperationAST(document, operationName);
    if (!operation) return [new GraphQLError(NO_OPERATION, { extensions: { code: VALIDATION_FAILED } })];
    if (context.call) context.call.operation = nameOf(operation);
    const variableValues = { ...variables };
    const refusal = refuse(operation, variableValues, context);
    if (refusal) return [new GraphQLError('', { originalError: refusal })];
    if (context.load && operation.operation === OperationTypeNode.SUBSCRIPTION) {
      const fragments = fragmentsOf(document);
      context.load.itemCost = costOf(schema, operation, (name) => fragments.get(name));
    }
    const calls = weigh(document, operation, variableValues);
    return { schema, document, operationName, variableValues, contextValue: context, calls };
  };
}

/** An error of graphql-js, marked as a refusal before execution in the words of GraphQL over HTTP. */
function refused(error: GraphQLError, code: string, message = error.message): GraphQLError {
  const { nodes = null, source = null, positions = null } = error;
  return new GraphQLError(message, { nodes, source, positions, extensions: { code } });
}

/** A schema that may not be looked at is not told by suggestions either. */
function unsuggestive(message: string): string {
  return message.replace(/ Did you mean .*$/s, '');
}
