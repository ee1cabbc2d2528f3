// MikroORM's driver, whose transactions give their connection back when it is cut. Kysely gives it back after `commit`
// or `rollback` alone: where these fail, as does a `begin` on a connection that has just been cut, its place in the
// pool would be lost for good, and with each restart of the server some more.

import { PostgreSqlConnection, PostgreSqlDriver } from '@mikro-orm/postgresql';
import type { DatabaseConnection, Driver, PostgresDialect, TransactionSettings } from 'kysely';
import { DatabaseError, type PoolConfig } from 'pg';

export class GatewayDriver extends PostgreSqlDriver {
  protected override readonly connection = new GatewayConnection(this.config);
}

class GatewayConnection extends PostgreSqlConnection {
  override createKyselyDialect(overrides: PoolConfig): PostgresDialect {
    const dialect = super.createKyselyDialect(overrides);
    const createDriver = dialect.createDriver.bind(dialect);
    dialect.createDriver = () => givingBack(createDriver());
    return dialect;
  }
}

function givingBack(driver: Driver): Driver {
  const begin = driver.beginTransaction.bind(driver);
  const rollBack = driver.rollbackTransaction.bind(driver);
  return Object.assign(driver, {
    async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
      try {
        await begin(connection, settings);
      } catch (error) {
        await driver.releaseConnection(connection);
        throw error;
      }
    },
    async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
      try {
        await rollBack(connection);
      } catch (error) {
        // The server rolls back by itself what it has no connection for. The pool drops the connection.
        if (!isCut(error)) throw error;
      }
    },
  });
}

/** Whether the connection is gone: it broke, or the server says that it ends it. */
const isCut = (error: unknown): boolean => !(error instanceof DatabaseError) || error.severity !== 'ERROR';
