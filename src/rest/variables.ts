// Turns a request into the variables of its row: path parameters, query parameters, and the body.

import {
  getNullableType,
  GraphQLID,
  isEnumType,
  isInputObjectType,
  isListType,
  typeFromAST,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { invalid, type Fault } from '../values/errors.ts';
import type { Route } from './routes/route.ts';

/** A request: path parameters, query parameters with all their values, and the parsed body. */
export interface RestRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: ReadonlyMap<string, readonly string[]>;
  readonly body: unknown;
}

export type VariableReader = (request: RestRequest) => { variables: Record<string, unknown>; faults: Fault[] };

/** Makes the function that turns a request into the document's variables. Unknown fields and parameters are faults. */
export function createVariableReader(
  schema: GraphQLSchema,
  route: Route,
  operation: OperationDefinitionNode,
): VariableReader {
  const types = new Map<string, GraphQLInputType>();
  for (const { variable, type } of operation.variableDefinitions ?? [])
    types.set(variable.name.value, typeFromAST(schema, type as never) as unknown as GraphQLInputType);
  const pathNames = new Set([...route.path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? ''));
  const takesBody = route.method === 'POST' || route.method === 'PUT';
  const input = types.get('input');
  const wholeBody = input !== undefined && isInputObjectType(getNullableType(input));
  const ownNames = [...types.keys()].filter((name) => !pathNames.has(name) && !(wholeBody && name === 'input'));
  const bodyNames = new Set(takesBody && !wholeBody ? ownNames : []);
  const bodyTypes = wholeBody ? fieldTypesOf(input) : types;
  const queryNames = new Set(takesBody ? [] : ownNames);

  return ({ params, query, body }) => {
    const variables: Record<string, unknown> = { ...params };
    const faults: Fault[] = [];
    for (const [name, values] of query) {
      const listed = LISTED.exec(name)?.[1];
      const own = listed !== undefined && isList(types.get(listed)) ? listed : name;
      const type = types.get(own);
      if (!type || !queryNames.has(own)) faults.push({ path: name, message: 'is not a known parameter' });
      else readParameter(own, type, values, variables, faults);
    }
    // A call without fields takes no body or an empty one.
    if (takesBody || body !== undefined) readBody({ body, wholeBody, bodyNames, bodyTypes, variables, faults });
    return { variables, faults };
  };
}

/** How clients of HTTP write an item of a list: `status[]`, or `status[0]`. */
const LISTED = /^(\w+)\[\d{0,3}\]$/;

const isList = (type: GraphQLInputType | undefined): boolean => type !== undefined && isListType(getNullableType(type));

/**
 * Reads a query parameter by the type of its variable: texts as they are, numbers and booleans parsed, lists repeated.
 */
function readParameter(
  name: string,
  type: GraphQLInputType,
  values: readonly string[],
  variables: Record<string, unknown>,
  faults: Fault[],
): void {
  const nullable = getNullableType(type);
  const read = (text: string) => {
    const named = isListType(nullable) ? getNullableType(nullable.ofType) : nullable;
    if (isEnumType(named)) return text.toUpperCase();
    if (String(named) === 'Boolean' && (text === 'true' || text === 'false')) return text === 'true';
    return String(named) === 'Int' && /^-?\d{1,10}$/.test(text) ? Number(text) : text;
  };
  if (isListType(nullable)) variables[name] = [...((variables[name] ?? []) as unknown[]), ...values.map(read)];
  else if (values.length > 1) faults.push({ path: name, message: 'must be given once' });
  else variables[name] = read(values[0] ?? '');
}

interface BodyParts {
  body: unknown;
  wholeBody: boolean;
  bodyNames: ReadonlySet<string>;
  bodyTypes: ReadonlyMap<string, GraphQLInputType>;
  variables: Record<string, unknown>;
  faults: Fault[];
}

function readBody({ body, wholeBody, bodyNames, bodyTypes, variables, faults }: BodyParts): void {
  const given = body === undefined ? {} : body;
  if (given === null || typeof given !== 'object' || Array.isArray(given)) {
    // Reported alone: a list of the missing fields would not help as well.
    throw invalid([...faults, { path: '', message: 'The body must be a JSON object' }]);
  }
  faults.push(...typeFaults(given, bodyTypes));
  if (wholeBody) {
    variables['input'] = given;
    return;
  }
  for (const [name, value] of Object.entries(given)) {
    if (bodyNames.has(name)) variables[name] = value;
    else faults.push({ path: name, message: 'is not a known field' });
  }
}

function fieldTypesOf(input: GraphQLInputType): Map<string, GraphQLInputType> {
  const type = getNullableType(input);
  const fields = isInputObjectType(type) ? Object.values(type.getFields()) : [];
  return new Map(fields.map((field) => [field.name, field.type]));
}

/**
 * Finds values that GraphQL would coerce but a JSON body must not contain: a single item in place of a list, and a
 * number as an identifier. In a body they are faults, like any value of the wrong type.
 */
function typeFaults(body: object, types: ReadonlyMap<string, GraphQLInputType>): Fault[] {
  return Object.entries(body).flatMap(([path, value]) => {
    const declared = types.get(path);
    const type = declared && getNullableType(declared);
    if (isListType(type) && value !== null && !Array.isArray(value)) return [{ path, message: 'must be a list' }];
    return type === GraphQLID && typeof value === 'number' ? [{ path, message: 'must be a string' }] : [];
  });
}
