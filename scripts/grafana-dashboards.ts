// The Grafana dashboards, one for each role, as code: `npm run dashboards` writes deploy/grafana.

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A graph: a title, its unit in Grafana's words, and its queries with their legends. */
type Panel = readonly [title: string, unit: string, ...queries: readonly (readonly [query: string, legend: string])[]];

const quantile = (family: string, by = '') =>
  `histogram_quantile(0.99, sum by (le${by && `, ${by}`}) (rate(${family}_bucket{instance=~"$instance"}[$__rate_interval])))`;
const rate = (family: string, by: string, labels = '') =>
  `sum by (${by}) (rate(${family}{instance=~"$instance"${labels && `, ${labels}`}}[$__rate_interval]))`;
const max = (family: string, by: string, labels = '') =>
  `max by (${by}) (${family}{instance=~"$instance"${labels && `, ${labels}`}})`;

/** What every process tells of. */
const PROCESS: readonly Panel[] = [
  ['Processes', 'short', ['up{job="turnpike", instance=~"$instance"}', '{{instance}}']],
  ['CPU', 'percentunit', ['rate(process_cpu_seconds_total{instance=~"$instance"}[$__rate_interval])', '{{instance}}']],
  ['Memory', 'bytes', ['process_resident_memory_bytes{instance=~"$instance"}', '{{instance}}']],
  ['Event loop, 99th percentile', 's', ['nodejs_eventloop_lag_p99_seconds{instance=~"$instance"}', '{{instance}}']],
  ['Time in which loops work', 'percentunit', [rate('turnpike_loop_busy_seconds_total', 'loop'), '{{loop}}']],
  ['Failed runs of loops', 'ops', [rate('turnpike_loop_runs_total', 'loop', 'outcome="failed"'), '{{loop}}']],
  [
    'Database connections',
    'short',
    [max('turnpike_database_connections', 'instance', 'state="used"'), 'used {{instance}}'],
    [max('turnpike_database_connections_max', 'instance'), 'limit {{instance}}'],
    [max('turnpike_database_waiting', 'instance'), 'waiting {{instance}}'],
  ],
  [
    'Wait for a connection, 99th percentile',
    's',
    [quantile('turnpike_database_wait_seconds', 'instance'), '{{instance}}'],
  ],
  ['Standbys', 's', [max('turnpike_database_replication_lag_seconds', 'job'), 'lag']],
  ['Clock against the database', 's', ['turnpike_clock_skew_seconds{instance=~"$instance"}', '{{instance}}']],
];

const ROLES: Readonly<Record<string, readonly Panel[]>> = {
  api: [
    ['Calls', 'reqps', [rate('turnpike_http_requests_total', 'status'), '{{status}}']],
    ['Calls, 99th percentile', 's', [quantile('turnpike_http_request_seconds', 'route'), '{{route}}']],
    [
      'Operations that failed or were refused',
      'ops',
      [rate('turnpike_graphql_operations_total', 'field, outcome', 'outcome!="success"'), '{{field}} {{outcome}}'],
    ],
    ['Operations', 'ops', [rate('turnpike_graphql_operations_total', 'kind, field'), '{{kind}} {{field}}']],
    ['Operations, 99th percentile', 's', [quantile('turnpike_graphql_operation_seconds', 'field'), '{{field}}']],
    ['Calls at this moment', 'short', ['turnpike_http_calls{instance=~"$instance"}', '{{state}} {{instance}}']],
    [
      'Connections',
      'short',
      ['turnpike_connections{instance=~"$instance"}', '{{instance}}'],
      ['turnpike_live_connections{instance=~"$instance"}', '{{kind}} {{instance}}'],
    ],
    ['Refused connections', 'ops', [rate('turnpike_connections_refused_total', 'kind, of'), '{{kind}} of {{of}}']],
    ['Unread answers', 'bytes', ['turnpike_unread_bytes{instance=~"$instance"}', '{{instance}}']],
    ['Redis, 99th percentile', 's', [quantile('turnpike_redis_seconds', 'instance'), '{{instance}}']],
    ['Redis failures', 'ops', [rate('turnpike_redis_failures_total', 'instance'), '{{instance}}']],
    ['Reads from replicas', 'ops', [rate('turnpike_replica_reads_total', 'server, reason'), '{{server}} {{reason}}']],
    ['Replicas', 's', ['turnpike_replica_lag_seconds{instance=~"$instance"}', '{{replica}} {{instance}}']],
    [
      'Days until the certificate ends',
      'd',
      ['(turnpike_certificate_end_seconds{instance=~"$instance"} - time()) / 86400', '{{instance}}'],
    ],
  ],
  observer: [
    ['Blocks behind the tip', 'short', [max('turnpike_chain_lag_blocks', 'network'), '{{network}}']],
    ['Blocks read', 'ops', [max('turnpike_chain_blocks_per_second', 'network'), '{{network}}']],
    [
      'Networks in service',
      'short',
      [`min by (network) (turnpike_network_available{instance=~"$instance"})`, '{{network}}'],
    ],
    ['Nodes', 'short', [`min by (node) (turnpike_node_up{instance=~"$instance"})`, '{{node}}']],
    ['Height of nodes', 'short', [max('turnpike_chain_tip_height', 'network'), '{{network}}']],
    [
      'Questions to nodes',
      'ops',
      [rate('turnpike_chain_questions_total', 'network, outcome'), '{{network}} {{outcome}}'],
    ],
    ['Questions, 99th percentile', 's', [quantile('turnpike_chain_question_seconds', 'network'), '{{network}}']],
    ['Violated rules of the book', 'short', [max('turnpike_ledger_faults', 'instance'), '{{instance}}']],
    [
      'Custody beyond the book, base units',
      'short',
      [max('turnpike_custody_difference', 'network, currency'), '{{currency}} on {{network}}'],
    ],
    ['Addresses used', 'percentunit', [max('turnpike_addresses_used_ratio', 'account'), '{{account}}']],
  ],
  dispatcher: [
    ['Webhook attempts', 'ops', [rate('turnpike_webhook_attempts_total', 'result'), '{{result}}']],
    [
      'Webhook attempts, 99th percentile',
      's',
      [quantile('turnpike_webhook_attempt_seconds', 'instance'), '{{instance}}'],
    ],
    ['Longest due', 's', [max('turnpike_webhook_oldest_due_seconds', 'job'), 'due']],
    ['Deliveries in flight', 'short', ['turnpike_webhook_in_flight{instance=~"$instance"}', '{{instance}}']],
    ['Receivers that fail', 'short', ['turnpike_webhook_failing_lanes{instance=~"$instance"}', '{{instance}}']],
    [
      'Events that wait',
      'short',
      [max('turnpike_events_unnumbered', 'job'), 'for a number'],
      [max('turnpike_events_not_relayed', 'job'), 'for deliveries'],
    ],
    [
      'The first of them has waited',
      's',
      [max('turnpike_events_unnumbered_seconds', 'job'), 'for a number'],
      [max('turnpike_events_not_relayed_seconds', 'job'), 'for deliveries'],
    ],
  ],
  mailer: [
    ['Attempts', 'ops', [rate('turnpike_mail_attempts_total', 'result'), '{{result}}']],
    ['Attempts, 99th percentile', 's', [quantile('turnpike_mail_attempt_seconds', 'instance'), '{{instance}}']],
    ['Mails that are due', 'short', [max('turnpike_mail_due', 'job'), 'due']],
    ['Longest due', 's', [max('turnpike_mail_oldest_due_seconds', 'job'), 'due']],
  ],
  signer: [
    ['Open payouts', 'short', [max('turnpike_payouts_open', 'network, state'), '{{network}} {{state}}']],
    ['Oldest open payout', 's', [max('turnpike_payouts_open_seconds', 'network, state'), '{{network}} {{state}}']],
    ['Held payouts', 'short', [max('turnpike_payouts_held', 'reason'), '{{reason}}']],
    ['Stuck payouts', 'short', [max('turnpike_payouts_stuck', 'network'), '{{network}}']],
    ['Halted networks', 'short', [max('turnpike_signing_halted', 'network'), '{{network}}']],
    [
      'Wallets',
      'short',
      [max('turnpike_wallet_balance', 'network, wallet, currency'), '{{wallet}}: {{currency}} on {{network}}'],
      [max('turnpike_wallet_needed', 'network, wallet, currency'), 'needed, {{wallet}}: {{currency}} on {{network}}'],
    ],
    ['Signatures', 'ops', [rate('turnpike_signatures_total', 'network, outcome'), '{{network}} {{outcome}}']],
    ['Signatures, 99th percentile', 's', [quantile('turnpike_signature_seconds', 'network'), '{{network}}']],
    [
      'Questions to nodes',
      'ops',
      [rate('turnpike_chain_questions_total', 'network, outcome'), '{{network}} {{outcome}}'],
    ],
  ],
};

/** Each dashboard by the name of its file. */
export function dashboards(): ReadonlyMap<string, object> {
  return new Map(Object.entries(ROLES).map(([role, panels]) => [`${role}.json`, dashboardOf(role, panels)]));
}

function dashboardOf(role: string, panels: readonly Panel[]): object {
  return {
    title: `Turnpike: ${role}`,
    uid: `turnpike-${role}`,
    tags: ['turnpike'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' },
        {
          ...{ name: 'instance', type: 'query', label: 'Process', multi: true, includeAll: true, refresh: 2 },
          ...{ datasource: SOURCE, query: `label_values(up{job="turnpike", role=~"${role}|all"}, instance)` },
          current: { text: 'All', value: '$__all' },
        },
      ],
    },
    panels: [
      ...panels.map((panel, nth) => panelOf(panel, nth, 0)),
      {
        ...{ id: 100, type: 'row', title: 'The process' },
        gridPos: { x: 0, y: rowsOf(panels), w: 24, h: 1 },
        panels: [],
      },
      ...PROCESS.map((panel, nth) => panelOf(panel, nth + 101, rowsOf(panels) + 1, nth)),
    ],
  };
}

const SOURCE = { type: 'prometheus', uid: '$datasource' };
const [WIDTH, HEIGHT] = [8, 7];
const rowsOf = (panels: readonly Panel[]): number => Math.ceil(panels.length / 3) * HEIGHT;

function panelOf([title, unit, ...queries]: Panel, id: number, top: number, place = id): object {
  const gridPos = { x: (place % 3) * WIDTH, y: top + Math.floor(place / 3) * HEIGHT, w: WIDTH, h: HEIGHT };
  return {
    ...{ id: id + 1, type: 'timeseries', title, datasource: SOURCE, gridPos },
    fieldConfig: { defaults: { unit, min: unit === 's' && title.startsWith('Clock') ? undefined : 0 }, overrides: [] },
    targets: queries.map(([expr, legendFormat], nth) => ({
      ...{ refId: String.fromCodePoint(65 + nth), datasource: SOURCE, expr, legendFormat },
    })),
  };
}

export const textOf = (dashboard: object): string => `${JSON.stringify(dashboard, null, 2)}\n`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, dashboard] of dashboards())
    writeFileSync(fileURLToPath(new URL(`../deploy/grafana/${name}`, import.meta.url)), textOf(dashboard));
}
