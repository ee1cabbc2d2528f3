// The operator's pages: mounts the application.

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import 'virtual:tokens.css';
import '../console/style/base.css';
import '../console/style/frame.css';
import '../console/style/parts.css';
import '../console/style/table.css';
import '../console/style/forms.css';
import '../console/style/settings.css';

const element = document.getElementById('operator');
if (!element) throw new Error('The page has no place for the pages of operators');
createRoot(element).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
