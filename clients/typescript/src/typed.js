// Facts, preferences, events, lessons and instructions: called, a namespace lists; its verb stores one.

/** Makes the namespaces of a user. */
export function typedMemories(service) {
  const list = async (path, query, call) => (await service.get(path, query, call)).items;
  const store = async (path, body, call) => service.write("POST", path, body, call);
  return {
    facts: Object.assign((subject, options = {}, call = {}) => list("/api/facts", { ...options, subject }, call), {
      set: (subject, key, value, fields = {}, call = {}) => store("/api/facts", { ...fields, subject, key, value }, call),
      doubts: (subject, call = {}) => list("/api/facts/doubts", { subject }, call),
      settle: (id, call = {}) => store("/api/facts/settle", { id }, call),
    }),
    preferences: Object.assign((category, options = {}, call = {}) => list("/api/preferences", { ...options, category }, call), {
      set: (category, key, value, fields = {}, call = {}) => store("/api/preferences", { ...fields, category, key, value }, call),
    }),
    events: Object.assign((options = {}, call = {}) => list("/api/events", options, call), {
      log: (summary, fields = {}, call = {}) => store("/api/events", { ...fields, summary }, call),
      timeline: (options = {}, call = {}) => list("/api/timeline", options, call),
    }),
    lessons: Object.assign((options = {}, call = {}) => list("/api/lessons", options, call), {
      add: (lesson, fields = {}, call = {}) => store("/api/lessons", { ...fields, lesson }, call),
    }),
    instructions: Object.assign((options = {}, call = {}) => list("/api/instructions", options, call), {
      add: (instruction, fields = {}, call = {}) => store("/api/instructions", { ...fields, instruction }, call),
    }),
  };
}
