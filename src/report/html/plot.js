// SPDX-License-Identifier: Apache-2.0
// Small line plots over time, as SVG.

const PLOT = {width: 340, height: 150, left: 44, right: 8, top: 8, bottom: 20};

// 1, 2 or 5 times a power of ten, so that there are about `count` steps up to `largest`.
function niceStep(largest, count) {
  const raw = largest / count, power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= raw);
}

function short(number) {
  for (const [size, letter] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']]) {
    if (number >= size) return `${+(number / size).toPrecision(3)}${letter}`;
  }
  return String(+number.toPrecision(3));
}

function seconds(time) {
  if (time < 120) return `${+time.toPrecision(3)} s`;
  return time < 7200 ? `${Math.round(time / 60)} min` : `${+(time / 3600).toFixed(1)} h`;
}

class Plot {
  constructor(largestTime, largestValue) {
    this.largestTime = largestTime || 1;
    this.largestValue = largestValue || 1;
    this.svg = svgElement('svg', {viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, role: 'img'});
    this.axes();
  }

  x(time) { return PLOT.left + (time / this.largestTime) * (PLOT.width - PLOT.left - PLOT.right); }
  y(value) { return PLOT.height - PLOT.bottom - (value / this.largestValue) * (PLOT.height - PLOT.top - PLOT.bottom); }

  axes() {
    const grid = themeColour('--line');
    const rows = niceStep(this.largestValue, 4), columns = niceStep(this.largestTime, 4);
    for (let value = 0; value <= this.largestValue * 1.0001; value += rows) {
      this.svg.append(svgElement('line', {x1: PLOT.left, x2: PLOT.width - PLOT.right, y1: this.y(value), y2: this.y(value), stroke: grid}),
          svgElement('text', {x: PLOT.left - 5, y: this.y(value) + 3.5, 'text-anchor': 'end'}, short(value)));
    }
    for (let time = 0; time <= this.largestTime * 1.0001; time += columns) {
      this.svg.append(svgElement('text', {x: this.x(time), y: PLOT.height - 6, 'text-anchor': time === 0 ? 'start' : 'middle'}, seconds(time)));
    }
  }

  line(points, colour) {
    const path = points.map(([time, value], index) => `${index ? 'L' : 'M'}${this.x(time).toFixed(1)} ${this.y(value).toFixed(1)}`).join('');
    this.svg.append(svgElement('path', {d: path, fill: 'none', stroke: colour, 'stroke-width': 2, 'stroke-linejoin': 'round'}));
  }

  // Between two lines, from below and from above: [time, low, high].
  area(points, colour) {
    const there = points.map(([time, , high]) => `${this.x(time).toFixed(1)} ${this.y(high).toFixed(1)}`);
    const back = points.map(([time, low]) => `${this.x(time).toFixed(1)} ${this.y(low).toFixed(1)}`).reverse();
    this.svg.append(svgElement('path', {d: `M${[...there, ...back].join('L')}z`, fill: colour}));
  }

  mark(time, text) {
    const x = this.x(time);
    this.svg.append(svgElement('g', {}, svgElement('title', {}, text),
        svgElement('line', {x1: x, x2: x, y1: PLOT.top, y2: PLOT.height - PLOT.bottom, stroke: themeColour('--bad'), 'stroke-width': 1.5, 'stroke-dasharray': '3 3'})));
  }

  figure(caption, label, key = []) {
    this.svg.setAttribute('aria-label', label);
    return element('figure', {class: 'plot'}, element('figcaption', {}, ...caption), this.svg,
        key.length ? element('div', {class: 'key'}, ...key.map(([text, colour]) => element('span', {}, element('i', {'--hue': colour}), text))) : null);
  }
}
