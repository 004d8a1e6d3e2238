// Places on a map of the world: where memories cluster, and what is within a circle that the reader draws.

import { api } from "../api.js";
import { day, minute } from "../dates.js";
import { Loaded, Memory, TalkLink, Text, useLoaded } from "../parts.js";
import { texts } from "../texts.js";
import { html, useEffect, useMemo, useRef, useState } from "../vendor/htm-preact-3.1.1.js";
import { outlines } from "../world.js";

const KM_PER_DEGREE = 111.2;
const [LEAST_KM, MOST_KM] = [0.1, 2000];
const [CLOSEST, WORLD] = [0.02, 360]; // degrees across
const LEAST_SHOWN = 15; // degrees, so that borders tell where a lonely place is
const MANY = 100;

export function PlacesMap({ id, may, tell }) {
  const circle = useMemo(() => circleOf(id), [id]);
  const places = useLoaded(() => api.places({ limit: MANY }), []);
  const [view, setView] = useState(null);
  useEffect(() => {
    if (circle) setView(around(circle.lat, circle.lng, (circle.km * 6) / KM_PER_DEGREE));
  }, [circle]);
  return html`<section aria-labelledby="heading">
    <h1 id="heading">${texts.views.map}</h1>
    <${Loaded} of=${places}>${({ items }) => {
      const shown = view ?? holding(items);
      return html`
        <${Drawing} places=${items} view=${shown} setView=${setView} circle=${circle} />
        <${ByNumbers} circle=${circle} />
        ${circle ? html`<${Within} key=${id} circle=${circle} may=${may} tell=${tell} />` : html`<${Listed} places=${items} />`}`;
    }}<//>
  </section>`;
}

function Drawing({ places, view, setView, circle }) {
  const svg = useRef(null);
  const [drawn, setDrawn] = useState(null);
  const [moving, setMoving] = useState(false);
  const land = useLoaded(outlines, []);
  const across = squeeze(view);
  const [width, height] = [view.size, view.size / 2];
  const [left, top] = [view.lng * across - width / 2, -view.lat - height / 2];
  const pointOf = (event) => {
    const box = svg.current.getBoundingClientRect();
    const lng = (left + ((event.clientX - box.left) / box.width) * width) / across;
    return { lng: clamp(lng, -180, 180), lat: clamp(-(top + ((event.clientY - box.top) / box.height) * height), -90, 90) };
  };
  const down = (event) => {
    if (event.button !== 0 || event.target.closest("a")) return;
    svg.current.setPointerCapture(event.pointerId);
    setDrawn({ from: pointOf(event), km: 0, view });
  };
  const drag = (event) => {
    if (!drawn) return;
    const to = pointOf(event);
    if (moving) setView({ ...view, lat: view.lat + drawn.from.lat - to.lat, lng: view.lng + drawn.from.lng - to.lng });
    else setDrawn({ ...drawn, km: clamp(distance(drawn.from, to), 0, MOST_KM) });
  };
  const up = () => {
    if (drawn && !moving && drawn.km >= LEAST_KM) go({ ...drawn.from, km: drawn.km });
    setDrawn(null);
  };
  const zoom = (factor) => () => setView({ ...view, size: clamp(view.size * factor, CLOSEST, WORLD) });
  const ring = drawn && !moving ? { ...drawn.from, km: drawn.km } : circle;
  return html`<div class="map">
    <svg ref=${svg} viewBox=${`${left} ${top} ${width} ${height}`} role="group" aria-label=${texts.map.label}
      onPointerDown=${down} onPointerMove=${drag} onPointerUp=${up} onPointerCancel=${() => setDrawn(null)}>
      <path class="land" d=${land.value ?? ""} transform=${`scale(${across} 1)`} vector-effect="non-scaling-stroke" />
      ${ring && html`<ellipse class="ring" cx=${ring.lng * across} cy=${-ring.lat} ry=${ring.km / KM_PER_DEGREE}
        rx=${((ring.km / KM_PER_DEGREE) * across) / Math.max(0.05, Math.cos(radians(ring.lat)))} vector-effect="non-scaling-stroke" />`}
      ${places.map(
        (place) => html`<a key=${`${place.lat} ${place.lng}`} href=${link(reach(place))} aria-label=${spoken(place)}>
          <circle class=${place.named ? "place named" : "place"} cx=${place.lng * across} cy=${-place.lat}
            r=${(width / 100) * Math.min(3, 0.7 + Math.log10(1 + place.memories + place.messages))} vector-effect="non-scaling-stroke">
            <title>${spoken(place)}</title>
          </circle>
        </a>`,
      )}
    </svg>
    <p class="actions">
      <button type="button" onClick=${zoom(0.5)}>${texts.map.closer}</button>
      <button type="button" onClick=${zoom(2)}>${texts.map.farther}</button>
      <button type="button" onClick=${() => setView(holding(places))}>${texts.map.all}</button>
      <label class="check"><input type="checkbox" checked=${moving} onChange=${(event) => setMoving(event.target.checked)} /> ${texts.map.move}</label>
      <span class="quiet">${drawn && !moving ? texts.map.km(drawn.km) : texts.map.drag}</span>
    </p>
  </div>`;
}

// The same search without a pointer.
function ByNumbers({ circle }) {
  const [given, setGiven] = useState({ lat: circle?.lat ?? "", lng: circle?.lng ?? "", km: circle?.km ?? 5 });
  useEffect(() => {
    if (circle) setGiven(circle);
  }, [circle]);
  const field = (name, least, most) => html`<label>${name === "km" ? texts.recall.radius : texts.map[name]}
    <input type="number" step="any" min=${least} max=${most} required value=${given[name]}
      onInput=${(event) => setGiven({ ...given, [name]: event.target.value })} />
  </label>`;
  const submit = (event) => {
    event.preventDefault();
    go({ lat: Number(given.lat), lng: Number(given.lng), km: Number(given.km) });
  };
  return html`<details>
    <summary>${texts.map.numbers}</summary>
    <form class="filters" onSubmit=${submit}>
      ${field("lat", -90, 90)} ${field("lng", -180, 180)} ${field("km", LEAST_KM, MOST_KM)}
      <button class="main">${texts.map.look}</button>
    </form>
  </details>`;
}

function Listed({ places }) {
  if (!places.length) return html`<p class="unknown">${texts.map.none}</p>`;
  return html`<ul class="list">
    ${places.map(
      (place) => html`<li key=${`${place.lat} ${place.lng}`}>
        <a href=${link(reach(place))}><bdi>${place.name || texts.map.unnamed}</bdi></a>
        <span class="quiet">
          ${" "}${place.named && html`<span class="tag">${texts.map.named}</span> `}${others(place) && html`<bdi>${others(place)}</bdi>${" · "}`}
          ${texts.timeline.count.memories(place.memories)}${" · "}${texts.timeline.count.messages(place.messages)}
          ${" · "}${texts.map.last(day(place.last_visit))}
        </span>
      </li>`,
    )}
  </ul>`;
}

function Within({ circle, may, tell }) {
  const found = useLoaded(() => api.within({ lat: circle.lat, lng: circle.lng, radius_km: circle.km, limit: MANY }), [circle]);
  return html`<section aria-labelledby="within">
    <h2 id="within">${texts.map.within(circle.km)}</h2>
    <p><a href="#/map">${texts.map.back}</a></p>
    <${Loaded} of=${found}>${({ memories, messages }) => html`
      ${memories.length + messages.length === 0 && html`<p class="unknown">${texts.map.nothing}</p>`}
      ${memories.map((one) => html`<${Memory} key=${one.id} memory=${one} may=${may} tell=${tell} changed=${found.reload}>
        ${one.place_label && html`<p class="quiet"><bdi>${one.place_label}</bdi></p>`}
      <//>`)}
      ${messages.map((said) => html`<article class="memory" key=${said.id}>
        <p><${Text} of=${said.content} /></p>
        <p class="quiet"><bdi>${said.speaker || said.role}</bdi>${" · "}${minute(said.said_at)}${" · "}<${TalkLink} name=${said.conversation} /></p>
      </article>`)}`}<//>
  </section>`;
}

const radians = (degrees) => (degrees * Math.PI) / 180;
const clamp = (value, least, most) => Math.min(most, Math.max(least, value));
const squeeze = (view) => (view.size > 60 ? 1 : Math.max(0.1, Math.cos(radians(view.lat)))); // so that what is near looks as it is
const around = (lat, lng, size) => ({ lat, lng, size: clamp(size, CLOSEST, WORLD) });
const reach = (place) => ({ lat: place.lat, lng: place.lng, km: clamp(place.radius_km * 1.1, 1, MOST_KM) });
const link = ({ lat, lng, km }) => `#/map/${lat.toFixed(5)},${lng.toFixed(5)},${km.toFixed(2)}`;
const go = (circle) => {
  location.hash = link(circle);
};
const others = (place) => place.labels.filter((label) => label !== place.name).join(", ");
const spoken = (place) =>
  `${place.name || texts.map.unnamed}: ${texts.timeline.count.memories(place.memories)}, ${texts.timeline.count.messages(place.messages)}`;

function circleOf(id) {
  const [lat, lng, km] = id.split(",").map(Number);
  return id && [lat, lng, km].every(Number.isFinite) ? { lat: clamp(lat, -90, 90), lng: clamp(lng, -180, 180), km: clamp(km, LEAST_KM, MOST_KM) } : null;
}

function holding(places) {
  if (!places.length) return around(0, 0, WORLD);
  const [lats, lngs] = [places.map((place) => place.lat), places.map((place) => place.lng)];
  const [south, north, west, east] = [Math.min(...lats), Math.max(...lats), Math.min(...lngs), Math.max(...lngs)];
  const size = Math.max((north - south) * 2, east - west, LEAST_SHOWN) * 1.3;
  return size >= 300 ? around(0, 0, WORLD) : around((north + south) / 2, (west + east) / 2, size);
}

function distance(one, other) {
  const across = Math.sin(radians(other.lat - one.lat) / 2) ** 2;
  const along = Math.sin(radians(other.lng - one.lng) / 2) ** 2;
  return 2 * 6371 * Math.asin(Math.min(1, Math.sqrt(across + Math.cos(radians(one.lat)) * Math.cos(radians(other.lat)) * along)));
}
