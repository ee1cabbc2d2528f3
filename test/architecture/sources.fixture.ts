// The imports of a TypeScript source, for the tests that guard the structure.

import { posix } from 'node:path';
import ts from 'typescript';
import type { Source } from '../support/sources.ts';

/** How a module is imported: when the file loads, later by `import()`, or only for its types. */
export type ImportKind = 'static' | 'dynamic' | 'type';

export interface Import {
  /** A path from the repository's root such as `src/values/id.ts`, or a package's name as it is written. */
  readonly target: string;
  readonly isFile: boolean;
  readonly kind: ImportKind;
}

/** Parses a source without type checking. */
export function parse(source: Source): ts.SourceFile {
  return ts.createSourceFile(source.path, source.text, ts.ScriptTarget.ESNext, true);
}

/** Calls `see` with every node of a tree. */
export function walk(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  ts.forEachChild(node, (child) => walk(child, see));
}

/** Everything that a source imports or re-exports, in the order of its text. */
export function importsOf(source: Source): Import[] {
  const imports: Import[] = [];
  walk(parse(source), (node) => {
    const found = moduleNamedBy(node);
    if (!found || !ts.isStringLiteralLike(found.name)) return;
    const text = found.name.text;
    const isFile = text.startsWith('.');
    const path = posix.join(posix.dirname(source.path), text).replace(/\.js$/, '.ts');
    imports.push({ target: isFile ? path : text, isFile, kind: found.kind });
  });
  return imports;
}

function moduleNamedBy(node: ts.Node): { name: ts.Node; kind: ImportKind } | null {
  if (ts.isImportDeclaration(node)) {
    const typeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    return { name: node.moduleSpecifier, kind: typeOnly ? 'type' : 'static' };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
    return { name: node.moduleSpecifier, kind: node.isTypeOnly ? 'type' : 'static' };
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return { name: node.argument.literal, kind: 'type' };
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword && node.arguments[0]) {
    return { name: node.arguments[0], kind: 'dynamic' };
  }
  return null;
}
