// What the dashboard knows of charts.js.
export type Line = {name: string; x?: number[]; mean: (number | null)[]; low?: (number | null)[]; high?: (number | null)[]; light: string; dark: string; dash?: number[]; steps?: boolean};
export type Graph = {title: string; label: string; along: string; lines: Line[]; rules: {value: number; label: string}[]; log: boolean; logx?: boolean; digits: number; percent?: boolean};
export const Numbers: {digits(v: number, n: number, exact?: boolean): string; percent(v: number, n: number, exact?: boolean): string};
export class Chart {
  constructor(place: HTMLElement, graph: Graph);
  place: HTMLElement; graph: any; log: boolean; hidden: Set<string>; data: (number | null)[][]; lines: any[]; u: any;
  axis: HTMLElement; reset: HTMLElement; turn: HTMLElement; live: HTMLElement; legend: HTMLElement; plot: HTMLElement;
  format(v: number, exact?: boolean): string;
  align(): void; controls(): void; entry(line: any, i: number): HTMLElement; draw(x?: {min: number; max: number}): void; options(): any; series(l: any): any[]; height(): number; fit(): void;
  range(lo: number, hi: number): [number, number]; rules(u: any): void; label(c: any, text: string, x: number, y: number, k: number): void; nearest(i: number, at: number): number; read(): void;
  all(): void; zoom(by: number): void; step(by: number): void; key(e: KeyboardEvent): void; recolour(): void; ink(line: any, alpha?: string): string; swatches(): void;
}
