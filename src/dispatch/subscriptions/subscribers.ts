// A registry of subscribers by topic.

export type Subscribers<Subscriber> = ReturnType<typeof createSubscribers<Subscriber>>;

export function createSubscribers<Subscriber>() {
  const byTopic = new Map<string, Set<Subscriber>>();
  let count = 0;
  return {
    count: () => count,
    /** Topics with at least one subscriber. */
    topics: (): readonly string[] => [...byTopic.keys()],
    /** A copy, because subscribers may leave while they are notified. */
    of: (topic: string): readonly Subscriber[] => [...(byTopic.get(topic) ?? [])],
    join(topic: string, subscriber: Subscriber): void {
      const ofTopic = byTopic.get(topic) ?? new Set();
      byTopic.set(topic, ofTopic.add(subscriber));
      count += 1;
    },
    leave(topic: string, subscriber: Subscriber): void {
      const ofTopic = byTopic.get(topic);
      if (!ofTopic?.delete(subscriber)) return;
      count -= 1;
      if (ofTopic.size === 0) byTopic.delete(topic);
    },
  };
}
