// Groups of similar memories: drawn, listed with their words, opened to be read; and what says the same, to be merged.

import { api } from "../api.js";
import { minute } from "../dates.js";
import { Loaded, Memory, Text, useLoaded } from "../parts.js";
import { texts } from "../texts.js";
import { html, useState } from "../vendor/htm-preact-3.1.1.js";

const GROUPS = 40;
const EXAMPLES = 20;
const SIDE = 400; // of the drawing, in its own units
const EDGE = 3; // around it, for the lines of circles that touch its border
const MOST_DOTS = 60;
const [INNER, OUTER] = [0.4, 0.9]; // of a circle's radius: dots leave its middle to the word
const LETTER = 7.5; // about as wide as one in the drawing
const TURN = Math.PI * (3 - Math.sqrt(5)); // of a sunflower, whose seeds fill a circle evenly

export function Clusters({ may, tell }) {
  const [chosen, setChosen] = useState(-1);
  const found = useLoaded(() => api.clusters({ limit: GROUPS, examples: EXAMPLES }), []);
  const choose = (at) => setChosen(at === chosen ? -1 : at);
  return html`<section aria-labelledby="heading">
    <h1 id="heading">${texts.clusters.heading}</h1>
    <${Loaded} of=${found}>${(value) => html`
      <p class="quiet">${texts.clusters.about(value)} ${texts.clusters.foundAt(minute(value.found_at))}</p>
      ${value.degraded.length > 0 && html`<p class="quiet">${texts.clusters.waiting}</p>`}
      ${value.clusters.length === 0 && html`<p class="unknown">${texts.clusters.none}</p>`}
      ${value.clusters.length > 0 && html`<div class="groups">
        <${Drawing} groups=${value.clusters} chosen=${chosen} choose=${choose} />
        <ol class="list">
          ${value.clusters.map((group, at) => html`<li key=${at}>
            <button type="button" aria-expanded=${at === chosen} onClick=${() => choose(at)}>
              <bdi>${nameOf(group)}</bdi> <span class="quiet">${texts.clusters.size(group.size)}</span>
            </button>
          </li>`)}
        </ol>
      </div>`}
      ${value.clusters[chosen] && html`<${Members} group=${value.clusters[chosen]} may=${may} tell=${tell} changed=${found.reload} />`}
      <${Duplicates} pairs=${value.duplicates} may=${may} tell=${tell} changed=${found.reload} />`}<//>
  </section>`;
}

const nameOf = (group) => group.terms.join(" · ") || texts.clusters.unnamed;

// The list beside it says the same to readers who do not see the drawing, and is reached by keyboard.
function Drawing({ groups, chosen, choose }) {
  return html`<svg class="drawing" viewBox="${-EDGE} ${-EDGE} ${SIDE + 2 * EDGE} ${SIDE + 2 * EDGE}" role="img" aria-label=${texts.clusters.drawing(groups.length)}>
    ${groups.map((group, at) => {
      const [x, y, radius] = [group.x, group.y, group.radius].map((part) => part * SIDE);
      const word = shortened(group.terms[0] ?? String(group.size), (2 * radius) / LETTER);
      return html`<g key=${at} class=${at === chosen ? "chosen" : ""} onClick=${() => choose(at)}>
        <title>${nameOf(group)}</title>
        <circle cx=${x} cy=${y} r=${radius} />
        ${dots(group.size).map(([left, down]) => html`<circle class="dot" cx=${x + left * radius} cy=${y + down * radius} r="2.2" />`)}
        ${word && html`<text x=${x} y=${y}>${word}</text>`}
      </g>`;
    })}
  </svg>`;
}

function dots(size) {
  const shown = Math.min(size, MOST_DOTS);
  return Array.from({ length: shown }, (_, at) => {
    const far = Math.sqrt(INNER ** 2 + ((at + 0.5) / shown) * (OUTER ** 2 - INNER ** 2));
    return [far * Math.sin(at * TURN), far * Math.cos(at * TURN)];
  });
}

function shortened(word, letters) {
  if (letters < 3) return "";
  return word.length <= letters ? word : `${[...word].slice(0, Math.floor(letters) - 1).join("")}…`;
}

function Members({ group, may, tell, changed }) {
  return html`<section aria-labelledby="members">
    <h2 id="members"><bdi>${nameOf(group)}</bdi></h2>
    ${group.size > group.members.length && html`<p class="quiet">${texts.clusters.typical(group.members.length, group.size)}</p>`}
    ${group.members.map((one) => html`<${Memory} key=${one.id} memory=${one} may=${may} tell=${tell} changed=${changed} />`)}
  </section>`;
}

function Duplicates({ pairs, may, tell, changed }) {
  const merge = ({ keep, repeat }) =>
    api.merge(repeat.id, keep.id).then(
      () => {
        tell(texts.clusters.merged);
        changed();
      },
      (problem) => tell(problem.message),
    );
  return html`<section aria-labelledby="duplicates">
    <h2 id="duplicates">${texts.clusters.duplicates}</h2>
    <p class="quiet">${pairs.length ? texts.clusters.whatMergingDoes : texts.clusters.noDuplicates}</p>
    ${pairs.map((pair) => html`<article key=${pair.repeat.id} class="memory">
      <p><span class="tag">${texts.clusters.stays}</span> <${Text} of=${pair.keep.content} /></p>
      <p><span class="tag">${texts.clusters.goes}</span> <${Text} of=${pair.repeat.content} /></p>
      ${may.includes("write") && html`<p class="actions">
        <button type="button" class="main" onClick=${() => merge(pair)}>${texts.clusters.merge}</button>
      </p>`}
    </article>`)}
  </section>`;
}
