// The axes of a graph, and the conversion between values and coordinates.
import type { ComponentChildren } from "preact";
import "./axes.css";

/** Converts values to coordinates of the graph and back. */
export interface Scale {
  (value: number): number;
  back(place: number): number;
  from: number;
  to: number;
}

export function scale(from: number, to: number, start: number, end: number): Scale {
  const at = (value: number) => start + ((Math.min(Math.max(value, from), to) - from) / (to - from)) * (end - start);
  const back = (place: number) => Math.min(Math.max(from + ((place - start) / (end - start)) * (to - from), from), to);
  return Object.assign(at, { back, from, to });
}

/** An SVG path through points. */
export const path = (points: [number, number][]): string => `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;

interface Props {
  x: Scale;
  y: Scale;
  width: number;
  height: number;
  /** The values at which there are grid lines, with their labels. */
  xs: [number, string][];
  ys: [number, string][];
  xName: string;
  yName: string;
  /** Elements that are drawn below the grid lines. */
  children?: ComponentChildren;
}

/**
 * Draws the background, the grid, labels and names of axes. The graph's area is 0, 0 to `width`,
 * `height`.
 */
export function Axes({ x, y, width, height, xs, ys, xName, yName, children }: Props) {
  return (
    <>
      <rect class="frame" width={width} height={height} />
      {children}
      {xs.map(([at, text]) => (
        <>
          <line class="grid" x1={x(at)} x2={x(at)} y2={height} />
          <text class="tick" x={x(at)} y={height + 18}>{text}</text>
        </>
      ))}
      {ys.map(([at, text]) => (
        <>
          <line class="grid" x2={width} y1={y(at)} y2={y(at)} />
          <text class="tick left" x="-6" y={y(at) + 4}>{text}</text>
        </>
      ))}
      <text class="axis" x={width / 2} y={height + 36}>{xName}</text>
      <text class="axis left" x="0" y="-13">{yName}</text>
    </>
  );
}
