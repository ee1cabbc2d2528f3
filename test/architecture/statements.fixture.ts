// Which tables the code of each role reads and changes: the SQL of every declaration in src, and what leads to what.

import ts from 'typescript';
import { posix } from 'node:path';
import type { Source } from '../support/sources.ts';
import { parse, walk } from './sources.fixture.ts';

/** A privilege on a table: S(elect), I(nsert), U(pdate), D(elete). A row lock needs U. */
export type Privilege = 'S' | 'I' | 'U' | 'D';

/** Tables by name, each with the privileges that are needed on it. */
export type Needs = ReadonlyMap<string, ReadonlySet<Privilege>>;

/** A declaration at the top of a file, or the rest of a file: what it mentions, and what its own SQL needs. */
interface Declaration {
  /** `src/loop.ts#createLoop`. */
  readonly id: string;
  readonly mentions: readonly string[];
  readonly needs: Needs;
}

export interface Statements {
  readonly declarations: ReadonlyMap<string, Declaration>;
  /** All that is needed by what these lead to; nothing is followed into what is `closed`. */
  neededFrom(roots: readonly string[], closed: ReadonlySet<string>): Map<string, Set<Privilege>>;
}

/** Reads all declarations. `entities` has the table of each entity by its class. */
export function readStatements(
  sources: readonly Source[],
  tables: ReadonlySet<string>,
  entities: ReadonlyMap<string, string>,
): Statements {
  const files = new Map(sources.map((source) => [source.path, readFile(source)]));
  const declarations = new Map<string, Declaration>();
  for (const [path, file] of files)
    for (const [name, nodes] of file.declared) {
      const mentioned = nodes.flatMap(({ node }) => mentionsIn(node));
      const mentions = mentioned.map((found) => resolve(files, path, found)).filter((id) => id !== null);
      const needs = new Map<string, Set<Privilege>>();
      for (const { node } of nodes) {
        for (const text of textsIn(node, (constant) => constantText(files, path, constant)))
          addNeeds(needs, needsOfText(text, tables));
        addNeeds(needs, needsOfEntities(node.getText(), entities));
      }
      const id = `${path}#${name}`;
      declarations.set(id, { id, mentions: [...new Set(mentions)].filter((other) => other !== id), needs });
    }
  return {
    declarations,
    neededFrom: (roots, closed) => {
      const needs = new Map<string, Set<Privilege>>();
      const seen = new Set<string>(roots);
      for (const id of seen) {
        if (closed.has(id)) continue;
        const declaration = declarations.get(id);
        if (!declaration) continue;
        addNeeds(needs, declaration.needs);
        for (const next of declaration.mentions) seen.add(next);
      }
      return needs;
    },
  };
}

interface FileParts {
  readonly imported: ReadonlyMap<string, { readonly path: string; readonly name: string }>;
  readonly declared: ReadonlyMap<string, readonly { readonly node: ts.Node }[]>;
}

/** The name of what a file does beside its declarations. */
const REST = '*';

function readFile(source: Source): FileParts {
  const imported = new Map<string, { path: string; name: string }>();
  const declared = new Map<string, { node: ts.Node }[]>();
  const declare = (name: string, node: ts.Node) => declared.set(name, [...(declared.get(name) ?? []), { node }]);
  const pathOf = (module: ts.Node) => {
    const text = ts.isStringLiteralLike(module) ? module.text : '';
    return text.startsWith('.') ? posix.join(posix.dirname(source.path), text) : null;
  };
  const tree = parse(source);
  for (const statement of tree.statements) {
    if (ts.isImportDeclaration(statement)) {
      const path = pathOf(statement.moduleSpecifier);
      const bindings = statement.importClause?.namedBindings;
      if (path === null || !bindings) continue;
      if (ts.isNamespaceImport(bindings)) imported.set(bindings.name.text, { path, name: 'namespace' });
      else
        for (const { name, propertyName } of bindings.elements)
          imported.set(name.text, { path, name: (propertyName ?? name).text });
    } else if (ts.isExportDeclaration(statement)) {
      const path = statement.moduleSpecifier ? pathOf(statement.moduleSpecifier) : null;
      const clause = statement.exportClause;
      if (path === null || !clause || !ts.isNamedExports(clause)) continue;
      for (const { name, propertyName } of clause.elements)
        imported.set(name.text, { path, name: (propertyName ?? name).text });
    } else if (ts.isVariableStatement(statement)) {
      for (const declaration of statement.declarationList.declarations)
        walk(declaration.name, (node) => {
          if (ts.isIdentifier(node)) declare(node.text, declaration);
        });
    } else if ((ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name) {
      declare(statement.name.text, statement);
    } else if (!ts.isInterfaceDeclaration(statement) && !ts.isTypeAliasDeclaration(statement)) declare(REST, statement);
  }
  // What is loaded on demand is named where it is loaded.
  walk(tree, (node) => {
    if (!ts.isVariableDeclaration(node) || !ts.isObjectBindingPattern(node.name) || !node.initializer) return;
    walk(node.initializer, (part) => {
      if (!ts.isCallExpression(part) || part.expression.kind !== ts.SyntaxKind.ImportKeyword || !part.arguments[0])
        return;
      const path = pathOf(part.arguments[0]);
      if (path === null || !ts.isObjectBindingPattern(node.name)) return;
      for (const { name, propertyName } of node.name.elements)
        if (ts.isIdentifier(name)) imported.set(name.text, { path, name: (propertyName ?? name).getText() });
    });
  });
  return { imported, declared };
}

/** Names that a declaration mentions as values; `owner.member` of a namespace counts as the member. */
function mentionsIn(root: ts.Node): { name: string; member: string | null }[] {
  const found: { name: string; member: string | null }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isIdentifier(node) && !isOnlyName(node)) {
      const { parent } = node;
      const member = ts.isPropertyAccessExpression(parent) && parent.expression === node ? parent.name.text : null;
      found.push({ name: node.text, member });
    }
    ts.forEachChild(node, visit);
  };
  visit(root);
  return found;
}

/** Whether an identifier names a property, and not a value. */
function isOnlyName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  return (ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent)) && parent.name === node;
}

function constantText(files: ReadonlyMap<string, FileParts>, path: string, name: string): string | null {
  const [home, own] = resolve(files, path, { name, member: null })?.split('#') ?? [];
  const node = files.get(home ?? '')?.declared.get(own ?? '')?.[0]?.node;
  if (!home || !node || !ts.isVariableDeclaration(node) || !node.initializer) return null;
  return textOfNode(node.initializer, (inner) => constantText(files, home, inner));
}

function resolve(
  files: ReadonlyMap<string, FileParts>,
  path: string,
  { name, member }: { name: string; member: string | null },
): string | null {
  const file = files.get(path);
  if (!file) return null;
  if (file.declared.has(name)) return `${path}#${name}`;
  const from = file.imported.get(name);
  if (!from) return null;
  if (from.name !== 'namespace') return resolve(files, from.path, { name: from.name, member: null });
  return member === null ? null : resolve(files, from.path, { name: member, member: null });
}

/** Finds the text of a constant that a template names, if it is one. */
type TextOf = (name: string) => string | null;

/** Every string and template of a declaration, with the constants that templates put in, and `?` for all else. */
function textsIn(root: ts.Node, textOf: TextOf): string[] {
  const texts: string[] = [];
  walk(root, (node) => {
    const text = textOfNode(node, textOf);
    if (text !== null) texts.push(text);
  });
  return texts;
}

function textOfNode(node: ts.Node, textOf: TextOf): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  const spans = node.templateSpans.map(({ expression, literal }) => {
    const named = ts.isIdentifier(expression) ? textOf(expression.text) : null;
    return `${named ?? ' ? '}${literal.text}`;
  });
  return [node.head.text, ...spans].join('');
}

const SQL = /\b(?:select|insert into|update|delete from|from|join|using|lock table)\b/;
/** A table's alias, and not the word that follows it. */
const ALIAS = String.raw`(?:\s+(?:as\s+)?(?!(?:and|as|case|cross|for|from|full|group|inner|join|lateral|left|limit|natural|on|order|returning|right|select|set|union|using|values|where)\b)(\w+))?`;
const SOURCES = new RegExp(String.raw`\b(from|join|using|update|insert into|,)(?=\s+(?:only\s+)?(\w+)${ALIAS})`, 'g');
const ROW_LOCK = /\bfor (?:no key update|update|key share|share)\b(?: of (\w+(?:, \w+)*))?/g;

/** What a text needs if it is SQL, or a part of some. A lock of rows needs U. */
export function needsOfText(raw: string, tables: ReadonlySet<string>): Map<string, Set<Privilege>> {
  const needs = new Map<string, Set<Privilege>>();
  const text = raw.replaceAll(/--.*$/gm, '').toLowerCase();
  if (!SQL.test(text)) return needs;
  const add = (table: string | undefined, privilege: Privilege) => {
    if (table !== undefined && tables.has(table)) addNeeds(needs, new Map([[table, new Set([privilege])]]));
  };
  const names = new Map<string, string>();
  for (const [, word = '', table = '', alias] of text.matchAll(SOURCES)) {
    // A column after a comma may have the name of a table; a table there has an alias.
    if (word === ',' && alias === undefined) continue;
    names.set(table, table);
    if (alias !== undefined) names.set(alias, table);
    if (['from', 'join', 'using', ','].includes(word)) add(table, 'S');
  }
  for (const [, table] of text.matchAll(/\bdelete from\s+(\w+)/g)) add(table, 'D');
  for (const [, table] of text.matchAll(/(?<!\b(?:do|for|key) )\bupdate\s+(\w+)\s+(?:(?:as\s+)?\w+\s+)?set\b/g)) {
    add(table, 'S');
    add(table, 'U');
  }
  for (const [, table, rest = ''] of text.matchAll(/\binsert into\s+(\w+)([\s\S]*?)(?=\binsert into\b|$)/g)) {
    add(table, 'I');
    if (/\bon conflict\s*(?:\(|on\b)|\breturning\b/.test(rest)) add(table, 'S');
    if (/\bdo update\b/.test(rest)) add(table, 'U');
  }
  for (const { 1: list, index } of text.matchAll(ROW_LOCK))
    for (const name of list?.split(', ') ?? selectedAt(text, index)) add(names.get(name) ?? name, 'U');
  for (const [, table] of text.matchAll(/\block table (\w+)/g)) add(table, 'U');
  return needs;
}

/** The tables of the select that ends at a place, without those of the selects inside it. */
function selectedAt(text: string, end: number): string[] {
  let own = '';
  for (let at = end - 1, depth = 0; at >= 0; at -= 1) {
    const char = text.charAt(at);
    if (char === ')') depth += 1;
    else if (char === '(') depth -= 1;
    else if (depth === 0) own = char + own;
    if (depth < 0) break;
  }
  const select = own.slice(Math.max(0, own.lastIndexOf('select')));
  return [...select.matchAll(/\b(?:from|join)\s+(?:only\s+)?(\w+)/g)].map(([, table = '']) => table);
}

/**
 * What the calls of MikroORM, and of `database/rows.ts`, in a declaration need. Rows that it has locked, it may change.
 */
function needsOfEntities(text: string, entities: ReadonlyMap<string, string>): Map<string, Set<Privilege>> {
  const needs = new Map<string, Set<Privilege>>();
  for (const [entity, table] of entities) {
    if (!new RegExp(`\\b${entity}\\b`).test(text)) continue;
    const own = new Set<Privilege>();
    if (new RegExp(`\\bem\\.(find\\w*|count)\\(\\s*${entity}\\b`).test(text)) own.add('S');
    if (new RegExp(`\\bem\\.create\\(\\s*${entity}\\b`).test(text)) own.add('I').add('S');
    if (new RegExp(`\\breadRows\\(em, ${entity}\\b`).test(text)) own.add('S');
    if (new RegExp(`\\breadRows\\(em, ${entity}\\b.*for update`).test(text)) own.add('U');
    if (new RegExp(`\\binsert(?:Rows|New)\\(em, ${entity}\\b`).test(text)) own.add('I');
    if (new RegExp(`\\bupdateRows\\(em, ${entity}\\b`).test(text)) own.add('U').add('S');
    if (/\bflush\(|\blockMode\b/.test(text) && !own.has('I')) own.add('U').add('S');
    if (own.size > 0) needs.set(table, own);
  }
  return needs;
}

function addNeeds(to: Map<string, Set<Privilege>>, from: Needs): void {
  for (const [table, privileges] of from) to.set(table, new Set([...(to.get(table) ?? []), ...privileges]));
}
