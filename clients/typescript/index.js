export { Client } from "./src/client.js";
export { Conversation } from "./src/conversation.js";
export * from "./src/errors.js";
export { UserMemory } from "./src/user.js";
export { VERSION } from "./src/version.js";
