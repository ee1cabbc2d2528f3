// A thread that is given a feed's answer, and ends without a word.

export {};
