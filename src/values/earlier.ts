// Of two moments. A block may be dated ahead of the moment at which it is read.

export function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}
