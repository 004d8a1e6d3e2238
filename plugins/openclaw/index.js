// Recollect as the memory of OpenClaw.

import { register } from "./src/plugin.js";

export default {
  id: "recollect",
  name: "Recollect",
  description: "Long-term memory kept by a Recollect service: recalled before a turn, learned after it.",
  kind: "memory",
  register: (api) => register(api, { id: "recollect", takesSlot: true }),
};
