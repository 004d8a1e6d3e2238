// What a person wrote, without what the host and memories put around it; and texts as they may stand in a prompt.

const STAMP = /^(?:\s*\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? \d{4}-\d{2}-\d{2}[^\]\n]{0,60}\])+\s*/;
const INTERNAL = /<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>[\s\S]*?(?:<<<END_OPENCLAW_INTERNAL_CONTEXT>>>|$)/g;
const RECALLED = /<relevant-context\b[^>]*>[\s\S]*?(?:<\/relevant-context\b[^>]*>|$)/gi;
const ACTIVE_MEMORY = /<active_memory_plugin>[\s\S]*?(?:<\/active_memory_plugin>|$)/g;
const CONTEXT_MARK = "⟦openclaw:ctx⟧"; // ends the heading of each note that the host adds to a message
const BOOTSTRAP = "(session bootstrap)";
const LONGEST_ITEM = 2000;
const LONGEST_TEXT = 20000;

/** Gives the text of a message, whose content is a string or blocks. */
export function textOf(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.filter((block) => block?.type === "text" && typeof block.text === "string").map((block) => block.text).join("\n");
}

/** Gives what a model thought, of a message with blocks. */
export function thinkingOf(content) {
  if (!Array.isArray(content)) return "";
  return content.filter((block) => block?.type === "thinking" && typeof block.thinking === "string").map((block) => block.thinking).join("\n");
}

/** Gives a user's own words; nothing if the host wrote all of it. */
export function ownWords(text) {
  const said = withoutNotes(text.replace(INTERNAL, "").replace(RECALLED, "").replace(ACTIVE_MEMORY, "")).replace(STAMP, "").trim();
  return said === BOOTSTRAP ? "" : said;
}

/** Gives an answer without recalled text. */
export function withoutRecalled(text) {
  return text.replace(RECALLED, "").trim();
}

/** Takes out notes of the host: a heading with its mark, and the fenced block or the lines up to an empty one below it. */
function withoutNotes(text) {
  if (!text.includes(CONTEXT_MARK)) return text;
  const kept = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    if (!lines[at].trimEnd().endsWith(CONTEXT_MARK)) {
      kept.push(lines[at]);
      continue;
    }
    const fenced = lines[at + 1]?.trim().startsWith("```");
    at += fenced ? 2 : 1;
    while (at < lines.length && lines[at].trim() !== (fenced ? "```" : "")) at++;
  }
  return kept.join("\n");
}

/** Gives a stored text on one line, such that it cannot pass for the end of a block or for the host. */
export function harmless(text, longest = LONGEST_ITEM) {
  const line = String(text)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, "")
    .replace(/\s*[\r\n\u0085\u2028\u2029]+\s*/g, " ⏎ ")
    .replace(/<(?=\s*\/?\s*relevant-context|<<)/gi, "‹")
    .replaceAll(CONTEXT_MARK, "")
    .trim();
  return line.length > longest ? `${line.slice(0, longest - 1).trimEnd()}…` : line;
}

/** Numbers lines under a heading, as many as a model should read. */
export function numbered(heading, lines) {
  let text = `${heading}\n`;
  for (const [index, line] of lines.entries()) {
    const next = `\n${index + 1}. ${line}`;
    if (text.length + next.length > LONGEST_TEXT) return `${text}\n(${lines.length - index} more)`;
    text += next;
  }
  return text;
}

export function percent(share) {
  return `${Math.round(share * 100)}%`;
}

export function counted(amount, one, many) {
  return `${amount} ${amount === 1 ? one : many}`;
}

// What of a hit was corrected or forgotten since.
export function marks(hit) {
  return (hit.corrected ?? [])
    .map(({ said, by, now, value, doubted }) => (by ? `${doubted ? "possibly outdated" : "no longer so"}: "${harmless(said, 60)}"; now: ${harmless(value || now, 60)}` : `forgotten: "${harmless(said, 60)}"`))
    .map((mark) => ` (${mark})`)
    .join("");
}
