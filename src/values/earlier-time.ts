// The earlier of two times. Used because a block's timestamp may lie ahead of the time at which we read it.

export function earlierTime(one: Date, other: Date): Date {
  return one < other ? one : other;
}
