// Recollect beside the memory that OpenClaw has already: its slot stays as it is.

import { register } from "../src/plugin.js";

export default {
  id: "recollect-beside",
  name: "Recollect, beside the built-in memory",
  description: "Long-term memory kept by a Recollect service, beside the built-in memory of OpenClaw.",
  register: (api) => register(api, { id: "recollect-beside", takesSlot: false }),
};
