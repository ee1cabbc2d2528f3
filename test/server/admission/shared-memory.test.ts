// Memory that callers share: which caller has to give way to which.

import { describe, expect, it } from '@jest/globals';
import { createSharedMemory } from '../../../src/server/admission/shared-memory.ts';

function openRoom(most: number, free = 0) {
  const memory = createSharedMemory({ most, free });
  const gone: string[] = [];
  const hold = (name: string, size: number, caller = name.charAt(0)) => {
    const holding = memory.hold(
      () => caller,
      () => void gone.push(name),
    );
    return { ...holding, isIn: holding.grow(size) };
  };
  return { memory, gone, hold };
}

describe('a shared memory', () => {
  it('is all of one caller who is alone, and beyond it the oldest of theirs makes way for the newest', () => {
    const { memory, gone, hold } = openRoom(10);
    const held = ['a1', 'a2', 'a3', 'a4'].map((name) => hold(name, 3));
    expect([gone, memory.taken(), memory.givenUp()]).toEqual([['a1'], 9, 1]);
    expect(held[0]?.grow(1)).toBe(false);
    expect(hold('a5', 11).isIn).toBe(false);
    expect([gone, memory.taken()]).toEqual([['a1', 'a2', 'a3', 'a4', 'a5'], 0]);
  });

  it('is made for the caller with less by the caller with most', () => {
    const { memory, gone, hold } = openRoom(10);
    hold('b1', 2);
    ['a1', 'a2', 'a3', 'a4'].forEach((name) => hold(name, 2));
    expect(hold('c1', 2).isIn).toBe(true);
    expect(hold('c2', 2).isIn).toBe(true);
    expect([gone, memory.taken()]).toEqual([['a1', 'a2'], 10]);
  });

  it('is made by the oldest of callers who have as much, so that nobody is kept out by many', () => {
    const { gone, hold } = openRoom(3);
    ['a1', 'b1', 'c1'].forEach((name) => hold(name, 1));
    expect(hold('d1', 1).isIn).toBe(true);
    expect(gone).toEqual(['a1']);
  });

  it('leaves everybody what is free, however much is taken, and gives back what was given up only once', () => {
    const { memory, gone, hold } = openRoom(10, 4);
    const large = hold('a1', 9);
    ['b1', 'c1', 'd1'].forEach((name) => expect(hold(name, 4).isIn).toBe(true));
    expect([gone, memory.taken()]).toEqual([[], 21]);
    const one = hold('e1', 5);
    expect([gone, one.isIn, memory.taken()]).toEqual([['a1', 'e1'], false, 12]);
    for (const { shrink, release } of [large, one]) [() => shrink(3), release, release].forEach((end) => end());
    expect(memory.taken()).toBe(12);
  });

  it('takes back what was taken, a part or all of it', () => {
    const { memory, gone, hold } = openRoom(10);
    const [a, b] = [hold('a1', 6), hold('b1', 4)];
    a.shrink(5);
    expect([a.grow(2), b.grow(3)]).toEqual([true, true]);
    b.release();
    expect([memory.taken(), b.grow(1), gone]).toEqual([3, false, []]);
  });
});
