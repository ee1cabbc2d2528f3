// What root fields have answered in one execution. Handed to graphql-js as the root value, so that no field runs twice.

type Answer = () => unknown;

/** The answers of one execution, by response key. */
export class RootAnswers {
  readonly #answers = new Map<string, Answer>();

  /** Runs the work of a field once; answers, or throws, the same each time after that. */
  ask(key: string, work: () => unknown): unknown {
    const answer = this.#answers.get(key) ?? settled(work);
    this.#answers.set(key, answer);
    return answer();
  }
}

function settled(work: () => unknown): Answer {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
