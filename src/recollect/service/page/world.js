// The outlines of countries, from TopoJSON: shared borders are stored once, as steps on a grid.

const FILE = "/page/vendor/world-atlas-2.0.2-countries-110m.json";
const FARTHEST = 180; // a step that is longer goes around the world, and is not drawn

export async function outlines() {
  const topology = await (await fetch(FILE)).json();
  const { scale, translate } = topology.transform;
  return topology.arcs.map((arc) => path(arc, scale, translate)).join("");
}

function path(arc, scale, translate) {
  let [x, y] = [0, 0];
  let before = null;
  return arc
    .map(([right, up]) => {
      [x, y] = [x + right, y + up];
      const [lng, lat] = [x * scale[0] + translate[0], y * scale[1] + translate[1]];
      const draws = before !== null && Math.abs(lng - before) < FARTHEST;
      before = lng;
      return `${draws ? "L" : "M"}${lng.toFixed(2)} ${(-lat).toFixed(2)}`;
    })
    .join("");
}
