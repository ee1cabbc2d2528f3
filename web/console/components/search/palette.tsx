// The search itself: pages and deeds at once, and what the gateway finds as soon as somebody stops typing.

import { useEffect, useState, type ReactNode } from 'react';
import {
  Autocomplete,
  Collection,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
} from 'react-aria-components';
import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { grouped } from '../../grouped.ts';
import { SearchDocument } from '../../generated/operations.ts';
import { useSession } from '../../session.ts';
import { useHush } from '../announcer.tsx';
import { hitsOf, type Hit } from './hits.tsx';
import type { Destination, Destinations } from './destinations.ts';
import '../../style/search.css';

interface PaletteProps extends Destinations {
  readonly onClose: () => void;
  readonly onHelp: () => void;
}

const SHORTEST = 2;
const PAUSE_MS = 200;
const OF_EACH = 6;

export default function Palette({ pages, deeds, onClose, onHelp }: PaletteProps): ReactNode {
  useHush(true);
  return (
    <ModalOverlay className="overlay top" isDismissable isOpen onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Modal className="modal palette">
        <Dialog className="dialog" aria-label="Search">
          <Search {...{ pages, deeds, onClose, onHelp }} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Search({ pages, deeds, onClose, onHelp }: PaletteProps): ReactNode {
  const [text, setText] = useState('');
  const [, navigate] = useLocation();
  const { hits, state } = useHits(text.trim());
  const listed = sectionsOf({ text, hits, pages, deeds });
  return (
    <Autocomplete inputValue={text} onInputChange={setText}>
      <SearchField aria-label="Search" autoFocus>
        <Input placeholder="Reference, e-mail address, product, address, transaction or id" maxLength={255} />
      </SearchField>
      <p className="unseen" role="status">
        {state === 'done' ? `${hits.length === 0 ? 'Nothing' : String(hits.length)} found` : ''}
      </p>
      {/* Focusable, so that it scrolls without a mouse where the search field chooses nothing. */}
      <div className="hits" role="group" aria-label="Found" tabIndex={0}>
        <Menu
          aria-label="Results"
          items={listed}
          className="hit-list"
          renderEmptyState={() => <p className="faint">{WORDS[state]}</p>}
          onAction={(key) => {
            const chosen = listed.flatMap(({ items }) => items).find((hit) => hit.key === key);
            onClose();
            if (chosen) navigate(chosen.path);
          }}
        >
          {({ title, items }) => (
            <MenuSection id={title}>
              <Header>{title}</Header>
              <Collection items={items}>
                {(hit) => (
                  <MenuItem id={hit.key} textValue={hit.words} className="hit">
                    {hit.shown}
                  </MenuItem>
                )}
              </Collection>
            </MenuSection>
          )}
        </Menu>
      </div>
      <footer>
        <span>{state === 'searching' ? 'Searching…' : state === 'failed' ? WORDS.failed : ''}</span>
        <button type="button" className="link" onClick={onHelp}>
          Keyboard shortcuts
        </button>
      </footer>
    </Autocomplete>
  );
}

const WORDS = {
  idle: 'Write at least two characters.',
  searching: 'Searching…',
  done: 'Nothing begins with this. Try another part: the whole address or transaction, or the start of a reference.',
  failed: 'The search failed. What you see are pages only.',
} as const;

/** What the gateway finds by a text, once it stands still. */
function useHits(text: string): { readonly hits: readonly Hit[]; readonly state: keyof typeof WORDS } {
  const { may } = useSession();
  const [asked, setAsked] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const mayFind = may('READ_PAYMENTS') || may('WITHDRAW');
  const isShort = asked.length < SHORTEST || !mayFind;
  const variables = { text: asked, first: OF_EACH };
  const [{ data, error, fetching }] = useQuery({ query: SearchDocument, variables, pause: isShort });
  if (text.length < SHORTEST || !mayFind) return { hits: [], state: 'idle' };
  if (text !== asked || fetching) return { hits: [], state: 'searching' };
  if (error || !data) return { hits: [], state: 'failed' };
  return { hits: hitsOf(data.search), state: 'done' };
}

interface Listed {
  readonly text: string;
  readonly hits: readonly Hit[];
  readonly pages: readonly Destination[];
  readonly deeds: readonly Destination[];
}

/** The sections that have something. */
function sectionsOf({ text, hits, pages, deeds }: Listed) {
  const words = text.trim().toLowerCase();
  const named = (all: readonly Destination[]): Hit[] =>
    all
      .filter((one) => one.words.toLowerCase().includes(words))
      .map(({ path, words: of, letter }) => ({
        key: path,
        section: '',
        path,
        words: of,
        shown: <Named words={of} letter={letter} />,
      }));
  const found = grouped(hits, ({ section }) => section);
  const sections = [
    ...[...found].map(([title, items]) => ({ id: title, title, items })),
    { id: 'do', title: 'Do', items: named(deeds) },
    { id: 'go', title: 'Go to', items: named(pages) },
  ];
  return sections.filter(({ items }) => items.length > 0);
}

function Named({ words, letter }: Pick<Destination, 'words' | 'letter'>): ReactNode {
  return (
    <>
      <span>{words}</span>
      {letter !== undefined && <kbd aria-hidden="true">{letter}</kbd>}
    </>
  );
}
