import uPlot from "uplot";

const HEIGHT = 220;
const DAY_S = 86_400;

/**
 * A chart that takes its colours from the page and its width from its place.
 * @param {HTMLElement} place
 * @param {{ x: number[], names?: string[] | undefined, series: { name: string, values: (number | null)[], band?: [(number | null)[], (number | null)[]] }[], unit: (value: number) => string, whole?: boolean, bars?: boolean, stacked?: boolean, range?: [number, number] | undefined }} data
 *   `x` are seconds since the epoch, or places 0, 1, … with `names`; a `band` is the lower and the upper end of an interval
 * @returns {() => void} takes it off the page
 */
export function draw(place, { x, names, series, unit, whole = false, bars = false, stacked = false, range }) {
  const style = getComputedStyle(place);
  const read = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  const [text, line] = [read("--muted"), read("--line")];
  const totals = stacked ? pile(series.map((one) => one.values)) : series.map((one) => one.values);
  const bar = uPlot.paths.bars?.({ size: [0.7, 42], radius: 0.12 });
  const [first, last] = [x[0] ?? 0, x.at(-1) ?? 0];
  const beside = names ? 0.6 : DAY_S * (bars ? 0.6 : 0.1);
  const font = "12px system-ui, sans-serif";
  const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { show: false }, font };
  // The tallest of a pile is drawn first, so that the others stand in front of it.
  const order = series.map((_, i) => i).sort((a, b) => (stacked ? b - a : a - b));
  const banded = series.flatMap(({ band }, i) => (band ? [{ band, fill: `${read(`--chart-${(i % 6) + 1}`)}33` }] : []));
  const chart = new uPlot({
    width: Math.max(place.clientWidth, 200), height: HEIGHT, cursor: { y: false, drag: { x: false, y: false } }, legend: { show: false },
    scales: {
      x: { time: !names, range: () => [first - beside, last + beside] },
      y: { range: (_, __, high) => range ?? [0, high > 0 ? high * 1.12 : 1] },
    },
    axes: [
      { ...axis, grid: { show: false }, ...(names ? { splits: () => x, values: (_, splits) => splits.map((at) => names[at] ?? "") } : {
        space: 60, incrs: [1, 2, 3, 7, 14, 30, 60].map((n) => n * DAY_S),
        values: (_, splits) => splits.map((at) => new Date(at * 1000).toLocaleDateString("en", { day: "numeric", month: "short" })),
      }) },
      { ...axis, size: 62, ...(whole ? { incrs: [1, 2, 5].flatMap((n) => [n, n * 10, n * 100, n * 1000, n * 10_000]).sort((a, b) => a - b) } : {}), values: (_, splits) => splits.map((value) => unit(value)) },
    ],
    series: [{}, ...order.map((i) => {
      const colour = read(`--chart-${(i % 6) + 1}`);
      return { label: /** @type {any} */ (series[i]).name, stroke: colour, width: bars ? 0 : 2, points: { show: !bars && x.length < 40 }, spanGaps: true, ...(bars ? { fill: colour, ...(bar ? { paths: bar } : {}) } : {}) };
    }), ...banded.flatMap(() => [{ width: 0, points: { show: false }, spanGaps: true }, { width: 0, points: { show: false }, spanGaps: true }])],
    // The upper end of each interval stands behind its lower one, both behind the lines.
    bands: banded.map(({ fill }, i) => ({ series: [order.length + 2 * i + 2, order.length + 2 * i + 1], fill })),
  }, [x, ...order.map((i) => /** @type {(number | null)[]} */ (totals[i])), ...banded.flatMap(({ band }) => band)], place);
  const observer = new ResizeObserver(() => chart.setSize({ width: Math.max(place.clientWidth, 200), height: HEIGHT }));
  observer.observe(place);
  return () => {
    observer.disconnect();
    chart.destroy();
  };
}

/** @param {(number | null)[][]} rows @returns {number[][]} each with those before it under it */
function pile(rows) {
  const sums = (rows[0] ?? []).map(() => 0);
  return rows.map((row) => row.map((value, i) => (sums[i] = (sums[i] ?? 0) + (value ?? 0))));
}
