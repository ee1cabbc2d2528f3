// What this browser keeps of somebody's choices. Its storage may be full or closed: then they last as long as the page.

export interface Keeping {
  read(place: string): string | null;
  /** False if the storage took nothing, and the value is gone with the page. */
  keep(place: string, value: string): boolean;
  drop(place: string): void;
}

function keepingIn(storage: () => Storage): Keeping {
  /** What could not be stored; null for what could not be removed. */
  const meanwhile = new Map<string, string | null>();
  const store = (place: string, value: string | null): boolean => {
    meanwhile.set(place, value);
    try {
      if (value === null) storage().removeItem(place);
      else storage().setItem(place, value);
      meanwhile.delete(place);
      return true;
    } catch {
      return false;
    }
  };
  return {
    read: (place) => {
      const known = meanwhile.get(place);
      if (known !== undefined) return known;
      try {
        return storage().getItem(place);
      } catch {
        return null;
      }
    },
    keep: store,
    drop: (place) => void store(place, null),
  };
}

/** Until somebody clears the browser's data. */
export const inBrowser = keepingIn(() => localStorage);

/** As long as the browser's tab is open. */
export const inTab = keepingIn(() => sessionStorage);
