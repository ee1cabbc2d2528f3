// The MikroORM type of base-unit amounts: bigint in memory, numeric(78, 0) in the database, text on the wire.

import { Type } from '@mikro-orm/core';

export class UnitsType extends Type<bigint, string> {
  override convertToDatabaseValue(value: bigint | string): string {
    return value.toString();
  }

  override convertToJSValue(value: bigint | string): bigint {
    return BigInt(value);
  }

  override compareAsType(): string {
    return 'bigint';
  }

  override getColumnType(): string {
    return 'numeric(78, 0)';
  }
}
