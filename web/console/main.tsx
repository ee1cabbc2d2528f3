// The merchant console: mounts the application.

import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import 'virtual:tokens.css';
import './style/base.css';
import './style/frame.css';
import './style/parts.css';
import './style/table.css';
import './style/forms.css';
import './style/settings.css';

const element = document.getElementById('console');
if (!element) throw new Error('The page has no place for the console');
const root = createRoot(element);
// Drawn in short pieces, so that what somebody does meanwhile does not wait for the whole.
startTransition(() =>
  root.render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
);
