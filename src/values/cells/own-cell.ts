// The cell that this process belongs to, where a deployment is divided into several (CELL). It is set once, before
// anything is made, by the composition root and the operator's programs.

/** A cell of the deployment, and since when its database has been one. */
export interface OwnCell {
  /** 0 to 999. */
  readonly cell: number;
  /** Unix milliseconds: identifiers made before have no cell in them. */
  readonly since: number;
}

let own: OwnCell | null = null;

/** Sets the cell of this process; null for a deployment that has none. */
export function useCell(cell: OwnCell | null): void {
  own = cell;
}

export const ownCell = (): OwnCell | null => own;

/** The number of the BIP-44 account that this process derives its addresses from: its cell's, or the first. */
export const accountNumber = (): number => own?.cell ?? 0;

export const MOST_CELL = 999;
