// SPDX-License-Identifier: Apache-2.0
// index.html of a campaign: what was found, how the search went.

class CampaignPage {
  constructor(data) {
    this.data = data;
    this.rows = data.plot;
  }

  start() {
    this.fillHeader();
    this.fillFindings();
    this.fillTree();
    this.fillPlots();
    this.fillMissed();
    this.fillWorkers();
    this.fillStatistics();
    setUpTheme();
    onThemeChange(() => this.fillPlots());
  }

  fillHeader() {
    const {stats, program, findings} = this.data;
    const bad = findings.length > 0;
    byId('headline').replaceChildren(
        element('span', {class: bad ? 'badge' : 'badge good'}, bad ? plural(findings.length, 'failure') : 'no failure'), ' ', program);
    if (!stats) return;
    const fact = (value, text) => element('span', {}, element('b', {}, value), ` ${text}`);
    byId('facts').replaceChildren(
        fact(withThousands(stats.schedules), 'schedules'), fact(withThousands(stats.unique_traces), 'distinct'),
        fact(`${stats.elapsed_s.toFixed(1)} s`, ''), fact(withThousands(stats.schedules_per_s), 'schedules/s'),
        fact(stats.strategy, 'strategy'),
        this.data.workers ? fact(withThousands(this.data.workers.length), this.data.workers.length === 1 ? 'worker' : 'workers') : fact(String(stats.seed), 'seed of the last campaign'));
  }

  fillFindings() {
    const {findings} = this.data;
    if (findings.length === 0) {
      byId('findings').replaceChildren(element('p', {class: 'dim'}, 'None.'));
      return;
    }
    const heads = ['kind', 'what', 'found', 'preemptions', 'replay'];
    byId('findings').replaceChildren(element('table', {},
        element('thead', {}, element('tr', {}, ...heads.map((head) => element('th', {scope: 'col'}, head)))),
        element('tbody', {}, ...findings.map((finding) => this.findingRow(finding)))));
  }

  findingRow(finding) {
    const what = finding.report ? element('a', {href: finding.report}, finding.summary) : finding.summary;
    return element('tr', {}, element('td', {}, finding.kind),
        element('td', {}, what, finding.explanation ? element('div', {class: 'why'}, finding.explanation) : null),
        element('td', {class: 'found'}, ...this.foundAt(finding)),
        element('td', {}, finding.preemptions === null ? '' : withThousands(finding.preemptions)),
        element('td', {}, element('code', {}, finding.replay)));
  }

  // When, and by which schedule of which campaign: the folder may have seen several.
  foundAt({found, schedule, seed}) {
    const parts = [
      found ? element('time', {datetime: found}, dateText(found)) : null,
      schedule ? `schedule ${withThousands(schedule)}` : null,
      seed === null || seed === undefined ? null : `seed ${seed}`,
    ];
    return parts.filter(Boolean).map((part) => element('div', {}, part));
  }

  // Of `jostle verify --graph`.
  fillTree() {
    const {executions} = this.data;
    if (!executions) return;
    byId('tree-card').hidden = false;
    new ExecutionTree(executions).show(byId('tree'));
  }

  fillPlots() {
    const {rows} = this;
    byId('plots-card').hidden = rows.length < 2;
    if (rows.length < 2) return;
    const plots = [
      this.plotOf('schedules', 'schedules', 0),
      this.plotOf('rf_pairs', 'reads-from pairs', 2),
      this.plotOf('signatures', 'different data flows', 3),
      this.plotOf('corpus', 'corpus', 4),
      this.plotShares(),
    ];
    byId('plots').replaceChildren(...plots.filter(Boolean));
  }

  get end() { return this.rows[this.rows.length - 1]; }

  plotOf(column, title, colour) {
    const {rows, end} = this;
    if (!end[column]) return null;
    const plot = new Plot(end.time, Math.max(...rows.map((row) => row[column])));
    rows.forEach((row, index) => {
      const before = index ? rows[index - 1].failures : 0;
      if (row.failures > before) plot.mark(row.time, `failure ${row.failures} found`);
    });
    plot.line(rows.map((row) => [row.time, row[column]]), hue(colour));
    const total = withThousands(end[column]);
    return plot.figure([element('b', {}, total), ` ${title}`], `${title} over time, ${total} at the end`);
  }

  // Of a campaign that is a folder: what Good and Turing say.
  fillMissed() {
    const {thoroughness} = this.data;
    if (!thoroughness) return;
    byId('missed-card').hidden = false;
    byId('missed').textContent = `${thoroughness.says}.`;
  }

  fillWorkers() {
    const {workers} = this.data;
    if (!workers) return;
    byId('workers-card').hidden = false;
    const columns = [
      ['worker', (worker) => worker.name], ['host', (worker) => worker.host],
      ['state', (worker) => (worker.life === 'dead' ? `dead, silent for ${withThousands(worker.silent_s)} s` : worker.state)],
      ['schedules', (worker) => withThousands(worker.schedules)], ['per second', (worker) => withThousands(worker.schedules_per_s)],
      ['seconds', (worker) => worker.elapsed_s.toFixed(0)],
      ['exchanging, %', (worker) => (worker.elapsed_s > 0 ? (100 * worker.exchanging_s / worker.elapsed_s).toFixed(1) : '')],
      ['failures', (worker) => withThousands(worker.failures)], ['seed', (worker) => String(worker.seed)], ['', (worker) => worker.note],
    ];
    byId('workers').replaceChildren(element('table', {},
        element('thead', {}, element('tr', {}, ...columns.map(([head]) => element('th', {scope: 'col'}, head)))),
        element('tbody', {}, ...workers.map((worker) =>
            element('tr', {class: worker.life}, ...columns.map(([, cell]) => element('td', {}, cell(worker))))))));
  }

  // How a portfolio divided its runs.
  plotShares() {
    const rows = this.rows.filter((row) => Object.keys(row.shares).length > 0);
    if (rows.length < 2) return null;
    const names = Object.keys(rows[rows.length - 1].shares);
    const plot = new Plot(this.end.time, 100);
    const base = rows.map(() => 0);
    names.forEach((name, index) => {
      const points = rows.map((row, i) => {
        const low = base[i];
        base[i] = Math.min(100, low + (row.shares[name] || 0));
        return [row.time, low, base[i]];
      });
      plot.area(points, hue(index, 0.75));
    });
    const last = rows[rows.length - 1].shares;
    return plot.figure(['share of the runs by strategy, %'], `shares at the end: ${names.map((name) => `${name} ${last[name]} %`).join(', ')}`,
        names.map((name, index) => [`${name} ${last[name]} %`, hue(index, 0.75)]));
  }

  fillStatistics() {
    const {stats} = this.data;
    if (!stats) {
      byId('statistics').append(element('div', {}, element('dt', {}, 'stats.json is missing: the campaign has not ended')));
      return;
    }
    const skip = new Set(['format', 'version', 'failures', 'unconfirmed', 'args', 'outcomes', 'failures_by_kind', 'uncontrolled', 'around', 'warnings']);
    const entries = Object.entries(stats).filter(([key, value]) => !skip.has(key) && this.statistic(key, value) !== '');
    for (const [kind, number] of Object.entries(stats.outcomes)) entries.push([`runs that ended: ${kind}`, number]);
    for (const {level, text} of stats.warnings ?? []) {
      if (level !== 'note') entries.push([level, text]);
    }
    for (const sentence of stats.uncontrolled) entries.push(['not controlled', sentence]);
    byId('statistics').replaceChildren(...entries.map(([key, value]) =>
        element('div', {}, element('dt', {}, key.replaceAll('_', ' ')), element('dd', {}, this.statistic(key, value)))));
  }

  statistic(key, value) {
    if (key === 'start_time') return dateText(new Date(value * 1000).toISOString());
    if (Array.isArray(value)) {  // lists of objects have places of their own, or are for machines
      return value.every((each) => typeof each !== 'object') ? value.join(', ') : withThousands(value.length);
    }
    if (value === null || typeof value === 'object') return '';
    if (typeof value !== 'number' || key === 'seed') return String(value);
    return Number.isInteger(value) ? withThousands(value) : String(+value.toPrecision(4));
  }
}

// '2026-11-16 17:41 UTC' of what JSON has
const dateText = (iso) => iso.replace(/^(.{10})T(.{5}).*$/, '$1 $2 UTC');

new CampaignPage(JSON.parse(byId('data').textContent)).start();
