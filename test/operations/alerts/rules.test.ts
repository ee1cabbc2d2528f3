// What deploy/prometheus contains is right by Prometheus's own tools, and each alert fires when it should.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { DEPLOY } from './prometheus.fixture.ts';

it.each([
  ['promtool', ['check', 'config', 'prometheus.yml']],
  ['promtool', ['check', 'rules', 'alerts.yaml']],
  ['promtool', ['test', 'rules', 'alerts.test.yaml']],
  ['amtool', ['check-config', 'alertmanager.yml']],
])('%s %s', (program, options) => {
  const [last = '', ...rest] = [...options].reverse();
  const { status, stdout, stderr } = spawnSync(program, [...rest.reverse(), join(DEPLOY, last)], { encoding: 'utf8' });
  expect({ status, said: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, said: '' });
});
