// The list of the keys that work on every page, and the switch of those that are single letters.

import type { ReactNode } from 'react';
import { Popup } from '../overlays/popup.tsx';
import type { Destination, Destinations } from './destinations.ts';
import '../../style/search.css';
import { useLetters } from './shortcuts.ts';

export default function ShortcutHelp({
  pages,
  deeds,
  onClose,
}: Destinations & { readonly onClose: () => void }): ReactNode {
  const [areOn, setOn] = useLetters();
  return (
    <Popup title="Keyboard shortcuts" isOpen onClose={onClose}>
      <dl className="shortcuts">
        <Keys keys={['Ctrl', 'K']} words="Search (⌘ K on a Mac)" />
        {areOn && (
          <>
            <Keys keys={['/']} words="Search" />
            <Keys keys={['?']} words="This list" />
            <Keys keys={['l']} words="Pause a live list, or show what is new" />
            {keyed(deeds).map(({ letter, words }) => (
              <Keys key={letter} keys={[letter]} words={words} />
            ))}
            {keyed(pages).map(({ letter, words }) => (
              <Keys key={letter} keys={['g', letter]} words={`Go to ${words}`} />
            ))}
          </>
        )}
      </dl>
      <label className="check">
        <input type="checkbox" checked={areOn} onChange={(event) => setOn(event.currentTarget.checked)} /> Single-key
        shortcuts
      </label>
    </Popup>
  );
}

const keyed = (all: readonly Destination[]) =>
  all.flatMap(({ letter, words }) => (letter === undefined ? [] : [{ letter, words }]));

function Keys({ keys, words }: { readonly keys: readonly string[]; readonly words: string }): ReactNode {
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{words}</dd>
    </div>
  );
}
