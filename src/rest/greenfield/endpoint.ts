// Makes a row of the Greenfield table callable: documents are prepared at boot, and run by the one engine.

import { parse, type ExecutionResult, type OperationDefinitionNode } from 'graphql';
import type { OperationContext } from '../../access/caller.ts';
import type { Engine } from '../../graphql/engine.ts';
import { prepareOwn } from '../../graphql/prepare.ts';
import { GatewayError, type ErrorName } from '../../values/errors.ts';
import { theirFault } from './invoice.ts';
import type { Ask, GreenfieldRequest, GreenfieldRow, Json } from './row.ts';

interface Deps {
  readonly engine: Pick<Engine, 'schema' | 'admit' | 'execute'>;
  /** Returns the permission check of an operation; it throws if the permission is missing. */
  guardOf(operation: OperationDefinitionNode): (context: unknown) => void;
}

/** A row that can be called. */
export interface GreenfieldEndpoint {
  readonly row: GreenfieldRow;
  /** Throws 1001, 1004, or 2004 for a store that is not the caller's, before the body is read. */
  authorize(context: OperationContext, storeId: string | undefined): void;
  /** Whether it needs no key. */
  readonly isPublic: boolean;
  run(request: Omit<GreenfieldRequest, 'caller'>, context: OperationContext): Promise<unknown>;
}

/** Prepares a row. Throws at boot if a document does not fit the schema. */
export function createGreenfieldEndpoint({ engine, guardOf }: Deps, row: GreenfieldRow): GreenfieldEndpoint {
  const prepared = new Map(
    Object.entries(row.documents).map(([name, text]) => [
      name,
      prepareOwn(engine.schema, parse(text, { noLocation: true })),
    ]),
  );
  const guards = [...prepared.values()].map(({ operation }) => guardOf(operation));
  const isPublic = prepared.size === 0;
  return {
    row,
    isPublic,
    authorize(context, storeId) {
      if (!isPublic && !context.caller) throw new GatewayError('MISSING_TOKEN');
      for (const guard of guards) guard(context);
      if (storeId !== undefined && storeId !== context.caller?.merchantId) throw new StoreNotFound();
    },
    run(request, context) {
      const ask: Ask = async (name, variables = {}) => {
        const document = prepared.get(name);
        if (!document) throw new Error(`${row.path} has no document ${name}`);
        return dataOf(await engine.execute(await engine.admit(document, variables, context)));
      };
      return row.answer(ask, { ...request, caller: context.caller });
    },
  };
}

/** A store that does not exist, or is somebody else's. */
class StoreNotFound extends GatewayError {
  constructor() {
    super('NOT_FOUND', { message: 'The store was not found' });
  }
}

function dataOf({ data, errors }: ExecutionResult): Json {
  const [error] = errors ?? [];
  if (error) throw error.originalError ?? error;
  return data?.['result'] as Json;
}

/** Their codes of errors that plugins look at; others are named as ours are. */
const CODES: Partial<Record<ErrorName, string>> = {
  MISSING_TOKEN: 'unauthenticated',
  INVALID_TOKEN: 'unauthenticated',
  KEY_REVOKED: 'unauthenticated',
  OTHER_ENVIRONMENT: 'unauthenticated',
  MISSING_PERMISSION: 'missing-permission',
  INTERNAL: 'internal-error',
};

/** An error in their shape: a list of faults with 422, else a code and a message. Statuses are ours but for 2001. */
export function greenfieldError(
  error: GatewayError,
  missing: GreenfieldRow['missing'],
): { status: number; body: unknown } {
  const { errorName: name, message, details } = error;
  const { status } = error.row;
  if (name === 'VALIDATION') return { status: 422, body: (details ?? [{ path: '', message }]).map(theirFault) };
  if (name === 'NOT_FOUND') {
    const what = error instanceof StoreNotFound || missing === undefined ? 'store' : missing;
    return { status, body: { code: `${what}-not-found`, message: `The ${what} was not found` } };
  }
  return { status, body: { code: CODES[name] ?? name.toLowerCase().replaceAll('_', '-'), message } };
}
