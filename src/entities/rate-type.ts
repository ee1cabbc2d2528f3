// The MikroORM type of rates: bigint in units of 10⁻¹² in memory, numeric(36, 12) in the database, text on the wire.

import { Type } from '@mikro-orm/core';
import { formatAmount } from '../values/amount.ts';
import { RATE_DECIMALS, readRate } from '../values/prices/price.ts';

export class RateType extends Type<bigint | null, string | null> {
  override convertToDatabaseValue(value: bigint | string | null): string | null {
    return typeof value === 'bigint' ? formatAmount(value, RATE_DECIMALS) : value;
  }

  override convertToJSValue(value: bigint | string | null): bigint | null {
    return typeof value === 'string' ? readRate(value) : value;
  }

  override compareAsType(): string {
    return 'bigint';
  }

  override getColumnType(): string {
    return 'numeric(36, 12)';
  }
}
