// Charts that go on while one looks: those of reports, with marks, tables, and a cursor and a zoom that a page has in common.
import {Fragment, h} from 'preact';
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';
import {Chart} from 'charts';
import type {Graph, Line} from '../chart/charts';
import uPlot from 'uplot';
import {onScheme, Page} from './page';
import {Grid} from './part';
import {csv, number, save, when} from './words';

export type Flag = {x: number; words: string; kind: string};
export type LiveGraph = Graph & {marks?: Flag[]; time?: boolean; tall?: boolean; still?: boolean};

// inks are colours that can be told apart, also by people who see few, on light and on dark.
export const inks = [['#0072b2', '#5cb8ef'], ['#c44e00', '#ff9e5e'], ['#00805c', '#4fd1a5'], ['#a8487f', '#f0a3cf'], ['#7a6200', '#e5c100'], ['#56606b', '#b5bec8']];
export const dashes: (number[] | undefined)[] = [undefined, [8, 4], [2, 3], [10, 3, 2, 3], [5, 2], [1, 2]];

export const line = (name: string, i: number, parts: Partial<Line>): Line => ({name, mean: [], light: inks[i % inks.length][0], dark: inks[i % inks.length][1], ...parts} as Line);

const together = new Map<string, Set<LiveChart>>();

class LiveChart extends Chart {
  declare graph: LiveGraph;
  zoomed = false;

  controls() {
    super.controls();
    this.axis.remove();
    const group = together.get(this.graph.along) || new Set();
    together.set(this.graph.along, group.add(this));
  }

  leave() {
    together.get(this.graph.along)?.delete(this);
    this.u.destroy();
    this.place.replaceChildren();
  }

  height() { return this.plot.clientWidth < 480 ? 200 : this.graph.tall ? 300 : 220; }

  options() {
    const o = super.options();
    o.cursor.drag = {x: true, y: false, dist: 4};
    o.hooks.draw.unshift((u: any) => this.flags(u));
    o.hooks.setSelect = [(u: any) => { if (u.select.width > 4) this.all(true, u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x')); }];
    o.cursor.bind = {dblclick: () => () => { this.all(); return null; }};
    o.axes[0].label = undefined;
    o.axes[0].labelSize = 0;
    o.axes[1].size = 58;
    if (this.graph.time) {
      o.scales.x.time = true;
      o.axes[0].values = undefined;
      o.axes[0].size = 48; // the day below the hour
    } else {
      o.axes[0].incrs = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6];
    }
    return o;
  }

  series(l: any) {
    const list = super.series(l);
    if (l.steps) for (const one of list) one.paths = (uPlot as any).paths.stepped({align: 1});
    list[0].points = {show: this.data[0].length < 3, size: 6};
    return list;
  }

  zoom(by: number) {
    const {min, max} = this.u.scales.x, x = this.data[0] as number[], at = this.u.cursor.idx;
    const centre = at == null ? (min + max) / 2 : x[at];
    const lo = Math.max(x[0], centre - (centre - min) * by), hi = Math.min(x[x.length - 1], centre + (max - centre) * by);
    if (hi > lo) this.all(true, lo, hi);
  }

  // all shows a part of the axis on all charts that share it, or everything again.
  all(part = false, min = 0, max = 0) {
    for (const c of together.get(this.graph.along) || [this]) {
      c.zoomed = part;
      if (part) c.u.setScale('x', {min, max}); else c.u.setData(c.data);
      c.u.setSelect({left: 0, width: 0, top: 0, height: 0}, false);
      c.reset.hidden = !part;
    }
  }

  step(by: number) {
    super.step(by);
    const {left, top} = this.u.cursor;
    this.u.setCursor({left, top}, true, true);
  }

  read() {
    super.read();
    if (!this.u || !this.data[0].length) { this.turn.textContent = ''; return; }
    const {idx} = this.u.cursor, x = this.data[0][idx ?? this.data[0].length - 1] as number;
    const name = this.graph.time ? when(new Date(x * 1000)) : this.graph.along + ' ' + number(x, 7);
    const near = idx == null ? [] : (this.graph.marks || []).filter(m => m.x === x);
    this.turn.textContent = name + (idx == null && !this.graph.still ? ' (newest)' : '') + near.map(m => ' · ' + m.words).join('');
  }

  // flags draws what operators did.
  flags(u: any) {
    const c = u.ctx as CanvasRenderingContext2D, k = uPlot.pxRatio, {left, top, width, height} = u.bbox;
    c.save();
    c.strokeStyle = c.fillStyle = Page.colour(this.turn, 'color');
    c.lineWidth = k;
    c.setLineDash([2 * k, 3 * k]);
    for (const m of this.graph.marks || []) {
      const x = u.valToPos(m.x, 'x', true);
      if (x < left || x > left + width) continue;
      c.beginPath();
      c.moveTo(x, top);
      c.lineTo(x, top + height);
      c.stroke();
      c.beginPath();
      c.moveTo(x - 4 * k, top);
      c.lineTo(x + 4 * k, top);
      c.lineTo(x, top + 6 * k);
      c.fill();
    }
    c.restore();
  }

  // show takes newer numbers of the same lines; a part that is looked at stays.
  show(graph: LiveGraph) {
    const old = this.lines;
    this.graph = graph;
    this.align();
    this.lines.forEach((l, i) => Object.assign(l, {reading: old[i].reading, swatch: old[i].swatch, button: old[i].button}));
    this.u.setData(this.data, !this.zoomed);
    if (this.zoomed) this.u.redraw();
    this.read();
  }
}

const sameLines = (a: LiveGraph, b: LiveGraph) => a.along === b.along && a.time === b.time && a.title === b.title && a.lines.length === b.lines.length &&
  a.lines.every((l, i) => l.name === b.lines[i].name && !l.low === !b.lines[i].low);

// Plot is a chart with its title, its table and its file.
export function Plot({graph, about}: {graph: LiveGraph; about?: string}) {
  const place = useRef<HTMLDivElement>(null), chart = useRef<LiveChart | undefined>(undefined), shown = useRef<LiveGraph | undefined>(undefined);
  const [table, setTable] = useState(false);
  useEffect(() => {
    if (chart.current && shown.current && sameLines(shown.current, graph)) chart.current.show(graph);
    else {
      chart.current?.leave();
      chart.current = new LiveChart(place.current!, graph);
      chart.current.reset.hidden = true;
    }
    shown.current = graph;
  }, [graph]);
  useEffect(() => {
    const stop = onScheme(() => chart.current?.recolour());
    return () => { stop(); chart.current?.leave(); chart.current = undefined; };
  }, []);
  const rows = useMemo(() => rowsOf(graph), [graph]);
  return <section class="chart">
    <div class="chart-head">
      <h2>{graph.title}</h2>
      <div class="tools">
        <button type="button" class="quiet" aria-pressed={table} onClick={() => setTable(!table)}>Table</button>
        <button type="button" class="quiet" onClick={() => save(graph.title.replace(/\W+/g, '-').toLowerCase() + '.csv', 'text/csv', csv(rows))}>CSV</button>
      </div>
    </div>
    {about && <p class="about">{about}</p>}
    <div ref={place} class="chart-place" />
    {table && <Table rows={rows} title={graph.title} />}
  </section>;
}

// rowsOf is the numbers of a graph as a table, the head first.
function rowsOf(g: LiveGraph): (string | number | null)[][] {
  let x: number[] = [];
  const tables = g.lines.map(l => [x = l.x || x, l.mean, ...(l.low ? [l.low, l.high!] : [])]);
  const data = tables.length > 1 ? (uPlot as any).join(tables) : tables[0] || [[]];
  const head = [g.time ? 'time' : g.along, ...g.lines.flatMap(l => l.low ? [l.name, l.name + ', low', l.name + ', high'] : [l.name])];
  return [head, ...data[0].map((at: number, i: number) => [g.time ? new Date(at * 1000).toISOString() : at, ...data.slice(1).map((c: any[]) => c[i] ?? null)])];
}

const most = 200;

function Table({rows, title}: {rows: (string | number | null)[][]; title: string}) {
  const newest = rows.slice(1).reverse().slice(0, most);
  return <>
    <Grid label={title} heads={rows[0].map(c => '#' + c)} rows={newest.map(r => r.map((v, i) => i && typeof v === 'number' ? number(v) : v ?? '–'))} />
    {rows.length - 1 > most && <p class="quiet">The newest {most} of {rows.length - 1}; CSV has all.</p>}
  </>;
}

// Spark is the course of a few numbers in the space of a word.
export function Spark({values}: {values: (number | null)[]}) {
  const w = 120, t = 30, seen = values.filter((v): v is number => v != null);
  if (seen.length < 2) return <svg class="spark" viewBox={`0 0 ${w} ${t}`} aria-hidden="true" />;
  const lo = Math.min(...seen), hi = Math.max(...seen), y = (v: number) => hi === lo ? t / 2 : 3 + (t - 6) * (1 - (v - lo) / (hi - lo));
  const x = (i: number) => 2 + (w - 6) * i / (values.length - 1);
  let path = '', pen = false, last: [number, number] = [0, 0];
  values.forEach((v, i) => {
    if (v == null) { pen = false; return; }
    last = [x(i), y(v)];
    path += (pen ? 'L' : 'M') + last[0].toFixed(1) + ' ' + last[1].toFixed(1);
    pen = true;
  });
  return <svg class="spark" viewBox={`0 0 ${w} ${t}`} aria-hidden="true"><path d={path} /><circle cx={last[0]} cy={last[1]} r="2.5" /></svg>;
}
