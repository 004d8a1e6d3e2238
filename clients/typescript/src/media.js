import { pathPart } from "./service.js";

/** Makes the namespace of a user's media: originals of pictures, sounds and films. */
export function userMedia(service) {
  return {
    /** Sends bytes, and resolves to what `media` of a memory or message takes. */
    add: async (bytes, fields = {}, call = {}) => ({ ...known(await service.upload("/api/media", bytes, call)), ...fields }),
    /** Resolves to the bytes of a medium that a memory or message has. */
    original: async (original, call = {}) => service.download(`/api/media/${pathPart(original)}`, call),
  };
}

function known(media) {
  return Object.fromEntries(Object.entries(media).filter(([, value]) => value !== null && value !== ""));
}
