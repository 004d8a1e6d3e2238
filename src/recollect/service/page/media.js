// Pictures, sounds and films of a memory or message. Bytes come from this service alone; a foreign address is only a link.

import { api } from "./api.js";
import { Text } from "./text.js";
import { texts } from "./texts.js";
import { html, useEffect, useRef, useState } from "./vendor/htm-preact-3.1.1.js";

const WEB = /^https?:\/\//i;
const PLAYED = { image: "image/", audio: "audio/", video: "video/" };

export function MediaList({ of, words, scope = "" }) {
  if (!of?.length) return null;
  return html`<ul class="media" aria-label=${texts.media.label}>
    ${of.map((one, at) => html`<li key=${`${at} ${one.original || one.url}`}><${Medium} of=${one} words=${words} scope=${scope} /></li>`)}
  </ul>`;
}

function Medium({ of, words, scope }) {
  return html`<figure>
    ${of.original && html`<${Original} of=${of} scope=${scope} />`}
    <figcaption>
      <span class="tag">${texts.media.kinds[of.kind] ?? of.kind}</span>
      ${(of.caption || of.alt) && html`${" "}<${Text} of=${of.caption || of.alt} words=${words} />`}
      ${of.url && html`${" "}<${Address} url=${of.url} />`}
      ${of.transcript && html`<details><summary>${texts.media.transcript}</summary><${Text} of=${of.transcript} words=${words} /></details>`}
    </figcaption>
  </figure>`;
}

// Nothing is loaded from there; a person may go there.
function Address({ url }) {
  if (!WEB.test(url)) return html`<bdi>${url}</bdi>`;
  return html`<a href=${url} rel="noopener noreferrer" target="_blank"><bdi>${url}</bdi></a>`;
}

// A picture is loaded when it comes into view, a sound or film when it is wanted.
function Original({ of, scope }) {
  const [shown, setShown] = useState(null);
  const [problem, setProblem] = useState("");
  const [large, setLarge] = useState(false);
  const place = useRef(null);
  const load = () =>
    api.media(of.original, scope).then(
      (bytes) => setShown({ url: URL.createObjectURL(bytes), safe: bytes.type.startsWith(PLAYED[of.kind] ?? " ") }),
      (found) => setProblem(found.message),
    );
  useEffect(() => {
    if (of.kind !== "image") return undefined;
    const watch = new IntersectionObserver(([entry]) => {
      if (!entry.isIntersecting) return;
      watch.disconnect();
      load();
    });
    watch.observe(place.current);
    return () => watch.disconnect();
  }, [of.original]);
  useEffect(() => () => shown && URL.revokeObjectURL(shown.url), [shown]);
  const name = of.alt || of.caption || texts.media.kinds[of.kind];
  if (problem) return html`<p class="quiet">${texts.media.gone} ${problem}</p>`;
  if (!shown && of.kind === "image") return html`<div class="thumbnail" ref=${place}></div>`;
  if (!shown) return html`<button type="button" onClick=${load}>${of.kind === "document" ? texts.media.load : texts.media.play}</button>`;
  if (!shown.safe) return html`<a class="button" href=${shown.url} download=${of.original.slice(0, 12)}>${texts.media.save}</a>`;
  if (of.kind === "audio") return html`<audio controls src=${shown.url} aria-label=${name}></audio>`;
  if (of.kind === "video") return html`<video controls src=${shown.url} aria-label=${name}></video>`;
  return html`<button type="button" class="picture" aria-pressed=${large} aria-label=${texts.media.enlarge(name)} onClick=${() => setLarge(!large)}>
    <img class=${large ? "large" : "thumbnail"} src=${shown.url} alt=${name} decoding="async" />
  </button>`;
}
